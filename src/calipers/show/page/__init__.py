"""The page: one HTML file that shows a result and draws its failures. Needs no network, opens from disk."""
