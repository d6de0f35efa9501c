"""Building blocks of everything to look at: text, tables, charts, the page. No suite is named here."""
