# Dòng tổng kết và hội tụ. Lời của `convergence` do hợp đồng quy định.
convergence = Convergence: { $rounds } vòng critic — file findings đã đầy đủ; chạy lại sẽ lòi ra 0 vấn đề mới.
