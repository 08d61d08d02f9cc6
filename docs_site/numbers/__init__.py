"""Numbers in pages, beside the text that shows them: a mark says where each comes from."""
