# 离线审查的用语：哪里有问题，应改成什么。
# $place 是编号（AC-05）、带引号的章节名或行号；$words 是文档原文，带引号。
lint-line = 第 { $line } 行
lint-beginning = 文档开头
lint-numbered = { $owner } 第 { $number } 条
lint-within = { $owner } 的{ $section }
lint-section = { $section }一节
lint-rules-section = 单独的业务规则
lint-somebody = 用户

lint-P01-rule = { $place } 里仍写着{ $words }：未定之前无法实现，也无法测试。
lint-P01-finding = { $place } 里本该写决定的地方是{ $words }，读者无法知道将交付什么。
lint-P01-move = 用已定的内容替换{ $words }。若尚未决定，在{ $section }中列为问题，写明负责人和期限，并让 { $place } 提到该问题。
lint-P01-suggestion = 在 { $place } 中用已定的内容替换{ $words }。若尚未决定，列为待定问题，写明负责人和期限。

lint-X01-finding = { $id } 在这里第二次出现；第 { $line } 行的 { $id } 已经是{ $first }。引用 { $id } 的地方无法判断指哪一条。
lint-X01-suggestion = 给这一条改用空号 { $next }，{ $id } 留给前一条。
lint-X01-cited = 给这一条改用空号 { $next }，{ $id } 留给前一条；再核对引用 { $id } 的地方（第 { $lines } 行）各指哪一条。
lint-X01-copy = { $id } 在这里第二次出现，文字与第 { $line } 行相同；以后只改其中一处，就无法判断以哪一处为准。
lint-X01-copy-suggestion = 删除 { $id } 两份中的一份。
lint-X01-ordinal = { $place } 中编号 { $number } 用了两次，这里和第 { $line } 行：说“第 { $number } 条”时不知指哪一条。
lint-X01-ordinal-suggestion = 把这一条改为 { $next }，后面依次顺延；同时修正引用了 { $number } 及以后编号的地方。

lint-X02-finding = { $place } 依据 { $ids }，但文档没有定义它（已定义的是 { $known }）。
lint-X02-again = { $place } 依据 { $ids }，但文档没有定义它（已定义的是 { $known }）；第 { $lines } 行也一样。
lint-X02-others = 从 { $first } 到 { $last } 的 { $count } 个编号，其中没有 { $ids }
lint-X02-suggestion = 在定义同类内容的地方（{ $section }）写明 { $ids } 的内容，或改为引用真正要指的那一条。
lint-X02-near = 如果 { $ids } 实际指 { $near }，就引用它；否则写明 { $ids } 的内容。

lint-C01-finding = { $place } 写的是{ $value }，而 { $first_place }（第 { $first_line } 行）对同一件事写的是{ $first }，两者不能同时成立。
lint-C01-suggestion = 在{ $first }和{ $value }之间选定一个，只在一处写明数值，另一处引用它。
lint-C01-option = 以 { $place } 的{ $value }为准，{ $others } 改成一致。

lint-A01-amount = { $place } 中的{ $words }没有说明是多少或是哪些。
lint-A01-amount-suggestion = 用具体数目或逐项列出的情形替换{ $words }。
lint-A01-judged = { $place } 中的{ $words }让每个读者自行判断怎样才算达标，无法测试。
lint-A01-judged-suggestion = 把{ $words }换成看得见或量得出的内容：一个数值、一份清单，或作出判断的规则。
lint-A01-both = 在 { $place } 中，{ $amounts }没有说明是哪些，{ $judged }没有说明怎样才算达标。
lint-A01-both-suggestion = 逐项列出{ $amounts }所指的情形，并把{ $judged }换成看得见或量得出的内容。
lint-A01-related = { $place } 中的{ $words }没有说明是与什么相比，每个读者划的范围都不同。
lint-A01-related-suggestion = 把{ $words }换成所指的具体内容，或写明它与什么、在哪一点上有关。

lint-A04-finding = 在 { $place } 中，{ $words }让实现的人自行决定这一条是否适用。
lint-A04-suggestion = 用条件本身替换{ $words }（“当……时”，或作出判断的规则）；如果没有条件，就去掉{ $words }。

lint-T01-finding = { $place } 用了{ $words }，而约定的说法是{ $right }；读者会当成两样东西。
lint-T01-bare = { $place } 用了{ $words }，这是项目约定不用的说法。
lint-T01-suggestion = 用{ $right }代替{ $word }。
lint-T01-form = 用{ $right }代替{ $word }。
lint-T01-choose = 按实际所指，用{ $choices }之一代替{ $word }。
lint-T01-choose-word = 用约定的说法代替{ $word }。

lint-B01a-finding = { $place } 写的是系统内部怎样运作（{ $words }），而不是人能看到的结果。
lint-B01a-suggestion = 把有关{ $words }的内容移到 { $target }；{ $place } 保留能看到的结果，并引用该规则。

lint-B02-finding = { $place } 只是重复 { $rule }（第 { $line } 行）：除规则外没有可验证的内容，每次改动都要改两处。
lint-B02-suggestion = 把这段文字移回 { $rule }；{ $place } 保留对 { $rule } 的引用，以及满足或违反该规则时能看到的结果。

lint-G01-finding = { $unit } 只写了一切顺利时的情形；没有写缺少内容、被拒绝或出错时{ $actor }会遇到什么。
lint-G01-suggestion = 为 { $unit } 写明：输入有误或缺失、请求被拒绝、中途出错时，{ $actor }看到什么、能做什么。
lint-G01-shows = 为 { $unit } 写明：没有内容可显示、无权查看、加载不出来时，{ $actor }看到什么。

lint-S01-finding = { $states }没有出口：第 { $lines } 行会进入，但没有任何流转从它开始，也没有标明它是终态。
lint-S01-unreached = 没有任何流转进入{ $states }或从它开始，也没有标明它是终态。
lint-S01-suggestion = 写明{ $states }之后怎样（什么事件、转到哪个状态），或标明它是终态。

lint-M02-finding = { $question }还没有答案，依赖它的内容无法实现。
lint-M02-policy = { $question }还没有答案，这是关于{ $topic }的决定，必须由人来做。
lint-M02-suggestion = 指定由谁在何时之前回答；把答案写到适用的地方，再关闭 { $place } 中的这个问题。
lint-M02-owned = 向 { $owner } 取得答案，写到适用的地方，再关闭 { $place } 中的这个问题。
lint-topic-security = 安全
lint-topic-privacy = 隐私
lint-topic-law = 法律
lint-topic-money = 费用
lint-topic-product = 产品范围

lint-P0-finding = 文档没有提到任何已知的业务领域（{ $domains }），无法判断它属于哪里。
lint-P0-suggestion = 在开头写明属于其中哪个领域：{ $domains }。

lint-P3-value = { $place } 写的是{ $value }，而 { $file }（第 { $line } 行）对同一件事写的是{ $other }。
lint-P3-value-suggestion = 在{ $value }和{ $other }之间选定一个，只在其中一份文档里写明。
lint-P3-value-here = 以本文档 { $here } 的{ $value }为准，{ $file } 的 { $there } 改成一致。
lint-P3-value-there = 以 { $file } 中 { $there } 的{ $other }为准，本文档 { $here } 改成一致。
lint-P3-id = { $id } 在这里有定义，在 { $file }（第 { $line } 行）里又有另一种写法：{ $other }。
lint-P3-id-suggestion = 让一份文档定义 { $id }、另一份引用它，或给其中一个换编号。
lint-P3-id-here = 保留本文档对 { $id } 的定义，{ $file } 改为引用。
lint-P3-id-there = 保留 { $file } 对 { $id } 的定义，本文档改为引用。
