# Lời của bộ rà soát ngoại tuyến: sai ở đâu, và nên viết thế nào.
lint-P01-finding = “{ $quote }” vẫn còn chỗ để trống chưa quyết.
lint-P01-suggestion = Thay chỗ để trống bằng giá trị đã chốt, hoặc chuyển sang mục Câu hỏi mở kèm người phụ trách.
