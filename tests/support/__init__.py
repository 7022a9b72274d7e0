"""What several tests share: random trees, as a seeded sampler and as hypothesis strategies."""
