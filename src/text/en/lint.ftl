# Messages of the offline reviewer: what is wrong here, and what to write instead.
lint-P01-finding = “{ $quote }” still holds a placeholder.
lint-P01-suggestion = Replace the placeholder with the decided value, or move it to Open questions with an owner.
