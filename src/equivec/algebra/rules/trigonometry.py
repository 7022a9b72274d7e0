"""The trigonometric functions, family by family."""

from __future__ import annotations

from equivec.algebra.rules.row import family

QUOTIENT = family(
    "quotient",
    """
    tangent as a quotient | tan(a) = sin(a)/cos(a)
    cotangent as a quotient | cot(a) = cos(a)/sin(a)
    tangent as a product | tan(a) = sin(a)*sec(a)
    cotangent as a product | cot(a) = cos(a)*csc(a)
    tangent by secant and cosecant | tan(a) = sec(a)/csc(a) | varies a
    cotangent by cosecant and secant | cot(a) = csc(a)/sec(a) | varies a
    sine by tangent | sin(a) = tan(a)*cos(a) | varies a
    cosine by cotangent | cos(a) = cot(a)*sin(a) | varies a
    tangent over sine | tan(a)/sin(a) = sec(a) | varies a
    sine over tangent | sin(a)/tan(a) = cos(a) | varies a
    cotangent over cosine | cot(a)/cos(a) = csc(a) | varies a
    cosine over cotangent | cos(a)/cot(a) = sin(a) | varies a
    tangent over secant | tan(a)/sec(a) = sin(a) | varies a
    cotangent over cosecant | cot(a)/csc(a) = cos(a) | varies a
    tangent squared as a quotient | tan(a)**2 = sin(a)**2/cos(a)**2
    cotangent squared as a quotient | cot(a)**2 = cos(a)**2/sin(a)**2
    sine over squared cosine | sin(a)/cos(a)**2 = tan(a)*sec(a)
    cosine over squared sine | cos(a)/sin(a)**2 = cot(a)*csc(a)
    """,
)

RECIPROCAL = family(
    "reciprocal",
    """
    secant as a reciprocal | sec(a) = 1/cos(a)
    cosecant as a reciprocal | csc(a) = 1/sin(a)
    cotangent as a reciprocal | cot(a) = 1/tan(a) | varies a
    cosine as a reciprocal | cos(a) = 1/sec(a) | varies a
    sine as a reciprocal | sin(a) = 1/csc(a) | varies a
    tangent as a reciprocal | tan(a) = 1/cot(a) | varies a
    secant as an inverse | sec(a) = cos(a)**(-1)
    cosecant as an inverse | csc(a) = sin(a)**(-1)
    cotangent as an inverse | cot(a) = tan(a)**(-1) | varies a
    secant squared as a reciprocal | sec(a)**2 = 1/cos(a)**2
    cosecant squared as a reciprocal | csc(a)**2 = 1/sin(a)**2
    cotangent squared as a reciprocal | cot(a)**2 = 1/tan(a)**2 | varies a
    secant squared as an inverse | sec(a)**2 = cos(a)**(-2)
    tangent by cotangent | tan(a)*cot(a) -> 1 | varies a, total a
    sine by cosecant | sin(a)*csc(a) -> 1 | varies a, total a
    cosine by secant | cos(a)*sec(a) -> 1 | varies a, total a
    quotient by a cosine | b/cos(a) = b*sec(a)
    quotient by a sine | b/sin(a) = b*csc(a)
    quotient by a tangent | b/tan(a) = b*cot(a) | varies a
    product of secant and cosecant | sec(a)*csc(a) = 1/(sin(a)*cos(a))
    """,
)

PYTHAGOREAN = family(
    "Pythagorean",
    """
    sum of squares | sin(a)**2 + cos(a)**2 -> 1 | total a
    one less squared cosine | 1 - cos(a)**2 = sin(a)**2
    one less squared sine | 1 - sin(a)**2 = cos(a)**2
    squared cosine less one | cos(a)**2 - 1 = -sin(a)**2
    squared sine less one | sin(a)**2 - 1 = -cos(a)**2
    one and squared tangent | 1 + tan(a)**2 = sec(a)**2
    squared secant less one | sec(a)**2 - 1 = tan(a)**2
    squared secant less squared tangent | sec(a)**2 - tan(a)**2 -> 1 | varies a, total a
    one and squared cotangent | 1 + cot(a)**2 = csc(a)**2
    squared cosecant less one | csc(a)**2 - 1 = cot(a)**2
    squared cosecant less squared cotangent | csc(a)**2 - cot(a)**2 -> 1 | varies a, total a
    one over one and squared tangent | 1/(1 + tan(a)**2) = cos(a)**2 | varies a
    one over one and squared cotangent | 1/(1 + cot(a)**2) = sin(a)**2 | varies a
    squared tangent by one and itself | tan(a)**2/(1 + tan(a)**2) = sin(a)**2 | varies a
    squared sine in factors | sin(a)**2 = (1 - cos(a))*(1 + cos(a))
    squared cosine in factors | cos(a)**2 = (1 - sin(a))*(1 + sin(a))
    absolute value of a sine | abs(sin(a)) = sqrt(1 - cos(a)**2)
    absolute value of a cosine | abs(cos(a)) = sqrt(1 - sin(a)**2)
    absolute value of a secant | abs(sec(a)) = sqrt(1 + tan(a)**2)
    absolute value of a cosecant | abs(csc(a)) = sqrt(1 + cot(a)**2)
    absolute value of a tangent | abs(tan(a)) = sqrt(sec(a)**2 - 1)
    sum of fourth powers of sine and cosine | sin(a)**4 + cos(a)**4 = 1 - 2*sin(a)**2*cos(a)**2
    fourth powers by a double angle | sin(a)**4 + cos(a)**4 = 1 - sin(2*a)**2/2
    fourth powers by a fourfold angle | sin(a)**4 + cos(a)**4 = (3 + cos(4*a))/4
    difference of fourth powers of cosine and sine | cos(a)**4 - sin(a)**4 = cos(2*a)
    difference of fourth powers of sine and cosine | sin(a)**4 - cos(a)**4 = -cos(2*a)
    fourth powers less their squares | cos(a)**4 - sin(a)**4 = cos(a)**2 - sin(a)**2
    sum of sixth powers | sin(a)**6 + cos(a)**6 = 1 - 3*sin(a)**2*cos(a)**2
    square of sine and cosine | (sin(a) + cos(a))**2 = 1 + sin(2*a)
    square of sine less cosine | (sin(a) - cos(a))**2 = 1 - sin(2*a)
    square of sine and cosine, product kept | (sin(a) + cos(a))**2 = 1 + 2*sin(a)*cos(a)
    product of squared secant and cosecant | sec(a)**2*csc(a)**2 = sec(a)**2 + csc(a)**2
    squared tangent less squared sine | tan(a)**2 - sin(a)**2 = tan(a)**2*sin(a)**2
    squared cotangent less squared cosine | cot(a)**2 - cos(a)**2 = cot(a)**2*cos(a)**2
    tangent and cotangent | tan(a) + cot(a) = sec(a)*csc(a)
    fourth power of the secant | sec(a)**4 - sec(a)**2 = tan(a)**4 + tan(a)**2
    secant and tangent to the fourth | sec(a)**4 - tan(a)**4 = 1 + 2*tan(a)**2
    one less cosine over sine | (1 - cos(a))/sin(a) = sin(a)/(1 + cos(a)) | varies a
    one and cosine over sine | (1 + cos(a))/sin(a) = sin(a)/(1 - cos(a)) | varies a
    cosine over one less sine | cos(a)/(1 - sin(a)) = (1 + sin(a))/cos(a) | varies a
    cosine over one and sine | cos(a)/(1 + sin(a)) = (1 - sin(a))/cos(a) | varies a
    secant and tangent as a quotient | sec(a) + tan(a) = (1 + sin(a))/cos(a)
    secant less tangent as a quotient | sec(a) - tan(a) = (1 - sin(a))/cos(a)
    secant and tangent as a reciprocal | sec(a) + tan(a) = 1/(sec(a) - tan(a))
    secant and tangent by a cosine | sec(a) + tan(a) = cos(a)/(1 - sin(a)) | varies a
    secant less tangent by a cosine | sec(a) - tan(a) = cos(a)/(1 + sin(a)) | varies a
    cosecant and cotangent as a quotient | csc(a) + cot(a) = (1 + cos(a))/sin(a)
    cosecant less cotangent as a quotient | csc(a) - cot(a) = (1 - cos(a))/sin(a)
    cosecant and cotangent as a reciprocal | csc(a) + cot(a) = 1/(csc(a) - cot(a))
    product of secant and tangent conjugates | (sec(a) + tan(a))*(sec(a) - tan(a)) -> 1
        | varies a, total a
    reciprocals about a sine | 1/(1 - sin(a)) + 1/(1 + sin(a)) = 2*sec(a)**2
    reciprocals about a cosine | 1/(1 - cos(a)) + 1/(1 + cos(a)) = 2*csc(a)**2
    cosecant less sine | csc(a) - sin(a) = cot(a)*cos(a)
    secant less cosine | sec(a) - cos(a) = sin(a)*tan(a)
    quotient of sums of tangents | (1 - tan(a))/(1 + tan(a)) = (cos(a) - sin(a))/(cos(a) + sin(a))
        | varies a
    quotient of sums of tangents, turned round
        | (1 + tan(a))/(1 - tan(a)) = (cos(a) + sin(a))/(cos(a) - sin(a)) | varies a
    root of one less sine by one and sine | sqrt((1 - sin(a))/(1 + sin(a))) = abs(sec(a) - tan(a))
    cube of sine by the square of cosine | sin(a)**3 = sin(a)*(1 - cos(a)**2)
    cube of cosine by the square of sine | cos(a)**3 = cos(a)*(1 - sin(a)**2)
    cubes of sine and cosine | sin(a)**3 + cos(a)**3 = (sin(a) + cos(a))*(1 - sin(a)*cos(a))
    """,
)

_ODD = ("sin", "tan", "cot", "csc")
_EVEN = ("cos", "sec")
_WORDS = {
    "sin": "sine",
    "cos": "cosine",
    "tan": "tangent",
    "cot": "cotangent",
    "sec": "secant",
    "csc": "cosecant",
}

PARITY = family(
    "parity",
    "\n".join(
        f"""
        {_WORDS[f]} of a negative | {f}(-a) = -{f}(a)
        {_WORDS[f]} of a difference turned round | {f}(a - b) = -{f}(b - a)
        {_WORDS[f]} of a negative multiple | {f}(n*a) -> -{f}((-n)*a) | n<0
        """
        for f in _ODD
    )
    + "\n".join(
        f"""
        {_WORDS[f]} of a negative | {f}(-a) = {f}(a)
        {_WORDS[f]} of a difference turned round | {f}(a - b) = {f}(b - a)
        {_WORDS[f]} of a negative multiple | {f}(n*a) -> {f}((-n)*a) | n<0
        {_WORDS[f]} of an absolute value | {f}(abs(a)) = {f}(a)
        """
        for f in _EVEN
    )
    + """
    absolute value of a sine of an absolute value | abs(sin(abs(a))) = abs(sin(a))
    """,
)

_HALF_TURN = {"sin": "-", "cos": "-", "tan": "", "cot": "", "sec": "-", "csc": "-"}
_SUPPLEMENT = {"sin": "", "cos": "-", "tan": "-", "cot": "-", "sec": "-", "csc": ""}
_QUARTER_ON = {
    "sin": "cos(a)",
    "cos": "-sin(a)",
    "tan": "-cot(a)",
    "cot": "-tan(a)",
    "sec": "-csc(a)",
    "csc": "sec(a)",
}
_QUARTER_BACK = {
    "sin": "-cos(a)",
    "cos": "sin(a)",
    "tan": "-cot(a)",
    "cot": "-tan(a)",
    "sec": "csc(a)",
    "csc": "-sec(a)",
}

SHIFT = family(
    "shift",
    "\n".join(
        f"""
        {_WORDS[f]} half a turn on | {f}(a + pi) = {_HALF_TURN[f]}{f}(a)
        {_WORDS[f]} half a turn back | {f}(a - pi) = {_HALF_TURN[f]}{f}(a)
        {_WORDS[f]} a turn on | {f}(a + 2*pi) = {f}(a)
        {_WORDS[f]} a quarter turn on | {f}(a + pi/2) = {_QUARTER_ON[f]}
        {_WORDS[f]} a quarter turn back | {f}(a - pi/2) = {_QUARTER_BACK[f]}
        {_WORDS[f]} of the supplement | {f}(pi - a) = {_SUPPLEMENT[f]}{f}(a)
        """
        for f in _WORDS
    )
    + """
    sine three quarters of a turn on | sin(a + 3*pi/2) = -cos(a)
    cosine three quarters of a turn on | cos(a + 3*pi/2) = sin(a)
    sine of a turn less | sin(2*pi - a) = -sin(a)
    cosine of a turn less | cos(2*pi - a) = cos(a)
    sine turns on | sin(a + n*pi) -> sin(a) | even n
    cosine turns on | cos(a + n*pi) -> cos(a) | even n
    tangent half turns on | tan(a + n*pi) -> tan(a)
    """,
)

_PARTNERS = (("sin", "cos"), ("cos", "sin"), ("tan", "cot"), ("cot", "tan"), ("sec", "csc"))

COFUNCTION = family(
    "cofunction",
    "\n".join(
        f"{_WORDS[f]} of the complement | {f}(pi/2 - a) = {g}(a)"
        for f, g in (*_PARTNERS, ("csc", "sec"))
    ),
)

SUM_AND_DIFFERENCE = family(
    "sum and difference",
    """
    sine of a sum | sin(a + b) = sin(a)*cos(b) + cos(a)*sin(b)
    sine of a difference | sin(a - b) = sin(a)*cos(b) - cos(a)*sin(b)
    cosine of a sum | cos(a + b) = cos(a)*cos(b) - sin(a)*sin(b)
    cosine of a difference | cos(a - b) = cos(a)*cos(b) + sin(a)*sin(b)
    tangent of a sum | tan(a + b) = (tan(a) + tan(b))/(1 - tan(a)*tan(b)) | varies a b
    tangent of a difference | tan(a - b) = (tan(a) - tan(b))/(1 + tan(a)*tan(b)) | varies a b
    cotangent of a sum | cot(a + b) = (cot(a)*cot(b) - 1)/(cot(a) + cot(b)) | varies a b
    sine an eighth of a turn on | sin(a + pi/4) = (sin(a) + cos(a))/sqrt(2)
    cosine an eighth of a turn on | cos(a + pi/4) = (cos(a) - sin(a))/sqrt(2)
    tangent an eighth of a turn on | tan(a + pi/4) = (1 + tan(a))/(1 - tan(a)) | varies a
    tangent an eighth of a turn less | tan(pi/4 - a) = (1 - tan(a))/(1 + tan(a)) | varies a
    sine a sixth of a turn on | sin(a + pi/3) = sin(a)/2 + sqrt(3)*cos(a)/2
    sine a twelfth of a turn on | sin(a + pi/6) = sqrt(3)*sin(a)/2 + cos(a)/2
    cosine a sixth of a turn on | cos(a + pi/3) = cos(a)/2 - sqrt(3)*sin(a)/2
    cosine a twelfth of a turn on | cos(a + pi/6) = sqrt(3)*cos(a)/2 - sin(a)/2
    sines of sum and difference, multiplied | sin(a + b)*sin(a - b) = sin(a)**2 - sin(b)**2
    cosines of sum and difference, multiplied | cos(a + b)*cos(a - b) = cos(a)**2 - sin(b)**2
    sines of sum and difference, added | sin(a + b) + sin(a - b) = 2*sin(a)*cos(b)
    sines of sum and difference, subtracted | sin(a + b) - sin(a - b) = 2*cos(a)*sin(b)
    cosines of sum and difference, added | cos(a + b) + cos(a - b) = 2*cos(a)*cos(b)
    cosines of difference and sum, subtracted | cos(a - b) - cos(a + b) = 2*sin(a)*sin(b)
    sum of tangents | tan(a) + tan(b) = sin(a + b)/(cos(a)*cos(b))
    difference of tangents | tan(a) - tan(b) = sin(a - b)/(cos(a)*cos(b))
    sum of cotangents | cot(a) + cot(b) = sin(a + b)/(sin(a)*sin(b))
    tangent and cotangent of two terms | tan(a) + cot(b) = cos(a - b)/(cos(a)*sin(b))
    """,
)

DOUBLE_ANGLE = family(
    "double angle",
    """
    double angle of sine | sin(2*a) = 2*sin(a)*cos(a)
    double angle of cosine, by cosine | cos(2*a) = 2*cos(a)**2 - 1
    double angle of cosine, by sine | cos(2*a) = 1 - 2*sin(a)**2
    double angle of cosine, by both | cos(2*a) = cos(a)**2 - sin(a)**2
    double angle of cosine, in factors | cos(2*a) = (cos(a) - sin(a))*(cos(a) + sin(a))
    double angle of tangent | tan(2*a) = 2*tan(a)/(1 - tan(a)**2) | varies a
    double angle of sine, by tangent | sin(2*a) = 2*tan(a)/(1 + tan(a)**2) | varies a
    double angle of cosine, by tangent | cos(2*a) = (1 - tan(a)**2)/(1 + tan(a)**2) | varies a
    double angle of cotangent | cot(2*a) = (cot(a)**2 - 1)/(2*cot(a)) | varies a
    double angle of cotangent, by both | cot(2*a) = (cot(a) - tan(a))/2
    double angle of secant | sec(2*a) = sec(a)**2/(2 - sec(a)**2) | varies a
    double angle of cosecant | csc(2*a) = sec(a)*csc(a)/2
    product of sine and cosine | sin(a)*cos(a) = sin(2*a)/2
    cosine of a double angle and one | 1 + cos(2*a) = 2*cos(a)**2
    one less cosine of a double angle | 1 - cos(2*a) = 2*sin(a)**2
    sine of a double angle over sine | sin(2*a)/sin(a) = 2*cos(a) | varies a
    sine of a double angle over cosine | sin(2*a)/cos(a) = 2*sin(a) | varies a
    tangent by double angles | tan(a) = sin(2*a)/(1 + cos(2*a))
    tangent by double angles, turned round | tan(a) = (1 - cos(2*a))/sin(2*a) | varies a
    cotangent by double angles | cot(a) = sin(2*a)/(1 - cos(2*a))
    cotangent less tangent | cot(a) - tan(a) = 2*cot(2*a)
    tangent and cotangent by a double angle | tan(a) + cot(a) = 2*csc(2*a)
    tangent and cotangent by a sine | tan(a) + cot(a) = 2/sin(2*a)
    cosine of a double angle by a sum | cos(2*a)/(cos(a) + sin(a)) = cos(a) - sin(a) | varies a
    cosine of a double angle over squared cosine | cos(2*a)/cos(a)**2 = 1 - tan(a)**2
    even multiple of a sine | sin(n*a) -> 2*sin(n/2*a)*cos(n/2*a) | even n, n>2
    even multiple of a cosine | cos(n*a) -> 2*cos(n/2*a)**2 - 1 | even n, n>2
    even multiple of a cosine, by sine | cos(n*a) -> 1 - 2*sin(n/2*a)**2 | even n, n>2
    one and sine over one and cosine | (1 + sin(2*a) + cos(2*a))/(1 + sin(2*a) - cos(2*a)) = cot(a)
        | varies a
    root of one and sine of a double angle | sqrt(1 + sin(2*a)) = abs(sin(a) + cos(a))
    root of one less sine of a double angle | sqrt(1 - sin(2*a)) = abs(sin(a) - cos(a))
    secant and tangent of a double angle | sec(2*a) + tan(2*a) = (cos(a) + sin(a))/(cos(a) - sin(a))
        | varies a
    """,
)

TRIPLE_ANGLE = family(
    "triple angle",
    """
    triple angle of sine | sin(3*a) = 3*sin(a) - 4*sin(a)**3
    triple angle of cosine | cos(3*a) = 4*cos(a)**3 - 3*cos(a)
    triple angle of tangent | tan(3*a) = (3*tan(a) - tan(a)**3)/(1 - 3*tan(a)**2) | varies a
    triple angle of sine, in factors | sin(3*a) = sin(a)*(3 - 4*sin(a)**2)
    triple angle of cosine, in factors | cos(3*a) = cos(a)*(4*cos(a)**2 - 3)
    triple angle of sine over sine | sin(3*a)/sin(a) = 1 + 2*cos(2*a) | varies a
    triple angle of sine over sine, by squares | sin(3*a)/sin(a) = 3 - 4*sin(a)**2 | varies a
    triple angle of cosine over cosine | cos(3*a)/cos(a) = 2*cos(2*a) - 1 | varies a
    triple angle as a sum of sine | sin(3*a) = sin(2*a)*cos(a) + cos(2*a)*sin(a)
    triple angle as a sum of cosine | cos(3*a) = cos(2*a)*cos(a) - sin(2*a)*sin(a)
    fourfold angle of cosine | cos(4*a) = 8*cos(a)**4 - 8*cos(a)**2 + 1
    fourfold angle of sine | sin(4*a) = 4*sin(a)*cos(a)*cos(2*a)
    triple angles over their angles | sin(3*a)/sin(a) - cos(3*a)/cos(a) -> 2 | varies a, total a
    """,
)

HALF_ANGLE = family(
    "half angle",
    """
    squared sine of a half angle | sin(a/2)**2 = (1 - cos(a))/2
    squared cosine of a half angle | cos(a/2)**2 = (1 + cos(a))/2
    squared tangent of a half angle | tan(a/2)**2 = (1 - cos(a))/(1 + cos(a))
    tangent of a half angle | tan(a/2) = sin(a)/(1 + cos(a))
    tangent of a half angle, turned round | tan(a/2) = (1 - cos(a))/sin(a) | varies a
    tangent of a half angle, by a difference | tan(a/2) = csc(a) - cot(a) | varies a
    cotangent of a half angle | cot(a/2) = sin(a)/(1 - cos(a))
    cotangent of a half angle, turned round | cot(a/2) = (1 + cos(a))/sin(a) | varies a
    cotangent of a half angle, by a sum | cot(a/2) = csc(a) + cot(a) | varies a
    absolute sine of a half angle | abs(sin(a/2)) = sqrt((1 - cos(a))/2)
    absolute cosine of a half angle | abs(cos(a/2)) = sqrt((1 + cos(a))/2)
    absolute tangent of a half angle | abs(tan(a/2)) = sqrt((1 - cos(a))/(1 + cos(a)))
    root of one less cosine of a double angle | sqrt(1 - cos(2*a)) = sqrt(2)*abs(sin(a))
    root of one and cosine of a double angle | sqrt(1 + cos(2*a)) = sqrt(2)*abs(cos(a))
    sine by a half angle | sin(a) = 2*sin(a/2)*cos(a/2)
    cosine by a half angle | cos(a) = 2*cos(a/2)**2 - 1
    cosine by the sine of a half angle | cos(a) = 1 - 2*sin(a/2)**2
    sine by the tangent of a half angle | sin(a) = 2*tan(a/2)/(1 + tan(a/2)**2) | varies a
    cosine by the tangent of a half angle | cos(a) = (1 - tan(a/2)**2)/(1 + tan(a/2)**2) | varies a
    tangent by the tangent of a half angle | tan(a) = 2*tan(a/2)/(1 - tan(a/2)**2) | varies a
    one less cosine by a half angle | 1 - cos(a) = 2*sin(a/2)**2
    one and cosine by a half angle | 1 + cos(a) = 2*cos(a/2)**2
    one and sine by a half angle | 1 + sin(a) = (sin(a/2) + cos(a/2))**2
    secant and tangent by a half angle | sec(a) + tan(a) = tan(a/2 + pi/4) | varies a
    """,
)

POWER_REDUCTION = family(
    "power reduction",
    """
    squared sine | sin(a)**2 = (1 - cos(2*a))/2
    squared cosine | cos(a)**2 = (1 + cos(2*a))/2
    squared tangent | tan(a)**2 = (1 - cos(2*a))/(1 + cos(2*a))
    squared cotangent | cot(a)**2 = (1 + cos(2*a))/(1 - cos(2*a))
    cubed sine | sin(a)**3 = (3*sin(a) - sin(3*a))/4
    cubed cosine | cos(a)**3 = (3*cos(a) + cos(3*a))/4
    fourth power of sine | sin(a)**4 = (3 - 4*cos(2*a) + cos(4*a))/8
    fourth power of cosine | cos(a)**4 = (3 + 4*cos(2*a) + cos(4*a))/8
    fourth power of sine, by a square | sin(a)**4 = (1 - cos(2*a))**2/4
    fourth power of cosine, by a square | cos(a)**4 = (1 + cos(2*a))**2/4
    product of squares of sine and cosine | sin(a)**2*cos(a)**2 = sin(2*a)**2/4
    product of squares by a fourfold angle | sin(a)**2*cos(a)**2 = (1 - cos(4*a))/8
    squared sine less squared cosine | sin(a)**2 - cos(a)**2 = -cos(2*a)
    """,
)

PRODUCT_TO_SUM = family(
    "product to sum",
    """
    product of sine and cosine of two terms | sin(a)*cos(b) = (sin(a + b) + sin(a - b))/2
    product of cosines | cos(a)*cos(b) = (cos(a - b) + cos(a + b))/2
    product of sines | sin(a)*sin(b) = (cos(a - b) - cos(a + b))/2
    sine and cosine of multiples | sin(m*a)*cos(n*a) -> (sin((m + n)*a) + sin((m - n)*a))/2 | m!=n
    cosines of multiples | cos(m*a)*cos(n*a) -> (cos((m - n)*a) + cos((m + n)*a))/2 | m!=n
    sines of multiples | sin(m*a)*sin(n*a) -> (cos((m - n)*a) - cos((m + n)*a))/2 | m!=n
    sine of a multiple and cosine | sin(n*a)*cos(a) -> (sin((n + 1)*a) + sin((n - 1)*a))/2 | n>1
    sine and cosine of a multiple | sin(a)*cos(n*a) -> (sin((n + 1)*a) - sin((n - 1)*a))/2 | n>1
    cosine of a multiple and cosine | cos(n*a)*cos(a) -> (cos((n - 1)*a) + cos((n + 1)*a))/2 | n>1
    sine of a multiple and sine | sin(n*a)*sin(a) -> (cos((n - 1)*a) - cos((n + 1)*a))/2 | n>1
    """,
)

SUM_TO_PRODUCT = family(
    "sum to product",
    """
    sum of sines | sin(a) + sin(b) = 2*sin((a + b)/2)*cos((a - b)/2)
    difference of sines | sin(a) - sin(b) = 2*cos((a + b)/2)*sin((a - b)/2)
    sum of cosines | cos(a) + cos(b) = 2*cos((a + b)/2)*cos((a - b)/2)
    difference of cosines | cos(a) - cos(b) = -2*sin((a + b)/2)*sin((a - b)/2)
    sum of sines of multiples | sin(m*a) + sin(n*a) -> 2*sin((m + n)/2*a)*cos((m - n)/2*a) | m>n
    difference of sines of multiples | sin(m*a) - sin(n*a) -> 2*cos((m + n)/2*a)*sin((m - n)/2*a)
        | m!=n
    sum of cosines of multiples | cos(m*a) + cos(n*a) -> 2*cos((m + n)/2*a)*cos((m - n)/2*a) | m>n
    difference of cosines of multiples | cos(m*a) - cos(n*a) -> -2*sin((m + n)/2*a)*sin((m - n)/2*a)
        | m!=n
    sum of sines of an odd multiple | sin(n*a) + sin(a) -> 2*sin((n + 1)/2*a)*cos((n - 1)/2*a)
        | odd n, n>1
    difference of sines of an odd multiple
        | sin(n*a) - sin(a) -> 2*cos((n + 1)/2*a)*sin((n - 1)/2*a) | odd n, n>1
    sum of cosines of an odd multiple | cos(n*a) + cos(a) -> 2*cos((n + 1)/2*a)*cos((n - 1)/2*a)
        | odd n, n>1
    difference of cosines of an odd multiple
        | cos(a) - cos(n*a) -> 2*sin((n + 1)/2*a)*sin((n - 1)/2*a) | odd n, n>1
    quotient of sums of sines and cosines | (sin(a) + sin(b))/(cos(a) + cos(b)) = tan((a + b)/2)
        | varies a b
    """,
)

HARMONIC_ADDITION = family(
    "harmonic addition",
    """
    sine and cosine as a sine | sin(a) + cos(a) = sqrt(2)*sin(a + pi/4)
    sine and cosine as a cosine | sin(a) + cos(a) = sqrt(2)*cos(a - pi/4)
    sine less cosine | sin(a) - cos(a) = sqrt(2)*sin(a - pi/4)
    cosine less sine | cos(a) - sin(a) = sqrt(2)*cos(a + pi/4)
    root of three sines and cosine | sqrt(3)*sin(a) + cos(a) = 2*sin(a + pi/6)
    sine and root of three cosines | sin(a) + sqrt(3)*cos(a) = 2*sin(a + pi/3)
    root of three sines less cosine | sqrt(3)*sin(a) - cos(a) = 2*sin(a - pi/6)
    sine less root of three cosines | sin(a) - sqrt(3)*cos(a) = 2*sin(a - pi/3)
    root of three cosines less sine | sqrt(3)*cos(a) - sin(a) = 2*cos(a + pi/6)
    multiples of sine and cosine | m*sin(a) + n*cos(a) -> sqrt(m**2 + n**2)*sin(a + atan(n/m)) | m>0
    multiples of sine and cosine, as a cosine
        | m*sin(a) + n*cos(a) -> sqrt(m**2 + n**2)*cos(a - atan(m/n)) | n>0
    sine and a multiple of cosine | sin(a) + n*cos(a) -> sqrt(1 + n**2)*sin(a + atan(n))
    a multiple of sine and cosine | m*sin(a) + cos(a) -> sqrt(m**2 + 1)*cos(a - atan(m))
    any amounts of sine and cosine | b*sin(a) + c*cos(a) = sqrt(b**2 + c**2)*sin(a + atan(c/b))
        | positive b
    """,
)

RULES = (
    *QUOTIENT,
    *RECIPROCAL,
    *PYTHAGOREAN,
    *PARITY,
    *SHIFT,
    *COFUNCTION,
    *SUM_AND_DIFFERENCE,
    *DOUBLE_ANGLE,
    *TRIPLE_ANGLE,
    *HALF_ANGLE,
    *POWER_REDUCTION,
    *PRODUCT_TO_SUM,
    *SUM_TO_PRODUCT,
    *HARMONIC_ADDITION,
)
