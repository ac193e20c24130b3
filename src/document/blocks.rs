//! One pass of the Markdown parser: headings, list items, tables, paragraphs, fences and inline stretches with offsets.

use super::line_map::LineMap;
use crate::model::outline::{Line, LineKind, Span};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

/// A heading outside quotes and lists.
#[derive(Debug)]
pub(super) struct Heading {
    pub(super) level: u8,
    /// Markers and underline included.
    pub(super) span: Span,
    /// Between the markers.
    pub(super) content: Span,
    /// Text without markup.
    pub(super) text: String,
}

/// A list item.
#[derive(Debug)]
pub(super) struct ListItem {
    /// Marker, continuation lines and nested blocks included.
    pub(super) span: Span,
    /// Its own first text, without marker and nested blocks.
    pub(super) head: Span,
    /// Items of one list share a number.
    pub(super) list: usize,
    /// Enclosing item.
    pub(super) parent: Option<usize>,
    /// Number in an ordered list, as written.
    pub(super) ordinal: Option<u64>,
    /// Checkbox: ticked or not.
    pub(super) task: Option<bool>,
}

/// A table row: its span and the spans of its cells, trimmed.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) span: Span,
    pub(super) cells: Vec<Span>,
}

/// A table.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) span: Span,
    pub(super) head: Row,
    pub(super) rows: Vec<Row>,
}

/// A paragraph outside tables.
#[derive(Debug)]
pub(super) struct Paragraph {
    pub(super) span: Span,
    /// Inside a list item.
    pub(super) in_item: bool,
    /// Inside a block quote.
    pub(super) in_quote: bool,
}

/// A fenced or indented code block.
#[derive(Debug)]
pub(super) struct Fence {
    pub(super) span: Span,
    /// Language tag in lower case, `""` when there is none.
    pub(super) tag: String,
}

/// A link with its text and where it goes.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) span: Span,
    pub(super) text: Span,
    pub(super) target: String,
}

/// Everything the parser saw.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub(super) headings: Vec<Heading>,
    pub(super) items: Vec<ListItem>,
    pub(super) tables: Vec<Table>,
    pub(super) paragraphs: Vec<Paragraph>,
    pub(super) fences: Vec<Fence>,
    pub(super) comments: Vec<Span>,
    pub(super) html: Vec<Span>,
    pub(super) code: Vec<Span>,
    pub(super) links: Vec<Link>,
    pub(super) struck: Vec<Span>,
}

impl Blocks {
    /// The innermost list item that holds a byte.
    pub(super) fn item_at(&self, byte: usize) -> Option<usize> {
        let mut at = self.items.partition_point(|item| item.span.start <= byte).checked_sub(1)?;
        loop {
            let item = &self.items[at];
            if byte < item.span.end {
                return Some(at);
            }
            at = item.parent?;
        }
    }
}

/// Shrinks a span so that it neither starts nor ends with white space.
pub(super) fn trim(text: &str, span: Span) -> Span {
    let slice = text.get(span.start..span.end).unwrap_or("");
    let start = span.start + (slice.len() - slice.trim_start().len());
    Span::new(start, start + slice.trim().len())
}

/// Gives every line the kind of the innermost block it belongs to, in one sweep.
struct Painter<'l> {
    lines: &'l mut [Line],
    map: &'l LineMap,
    next: usize,
    open: Vec<LineKind>,
    quotes: usize,
}

impl Painter<'_> {
    fn top(&self) -> LineKind {
        // A quote keeps its lines whatever stands in it, but for code and tables.
        match self.open.last() {
            Some(&kind @ (LineKind::ListItem | LineKind::Paragraph | LineKind::Heading)) => {
                if self.quotes > 0 {
                    LineKind::Quote
                } else {
                    kind
                }
            }
            Some(&kind) => kind,
            None => LineKind::Blank,
        }
    }

    /// Paints the lines that start before a byte.
    fn up_to(&mut self, byte: usize) {
        let kind = self.top();
        while self.next < self.lines.len() && self.lines[self.next].span.start < byte {
            self.lines[self.next].kind = kind;
            self.next += 1;
        }
    }

    fn enter(&mut self, kind: LineKind, at: usize) {
        // The line on which the block starts belongs to it, also where a marker of the outer block precedes it.
        let line = self.map.at(at);
        let start = self.lines.get(line).map_or(0, |line| line.span.start);
        self.up_to(start);
        self.open.push(kind);
        self.quotes += usize::from(kind == LineKind::Quote);
    }

    fn leave(&mut self, end: usize) {
        self.up_to(end);
        let closed = self.open.pop();
        self.quotes -= usize::from(closed == Some(LineKind::Quote));
    }
}

/// A list item being read.
struct OpenItem {
    index: usize,
    head: Option<Span>,
    head_done: bool,
}

const OPTIONS: Options =
    Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH).union(Options::ENABLE_TASKLISTS).union(Options::ENABLE_FOOTNOTES);

/// Reads the text from `from` (behind front matter) and sets the kinds of its lines.
pub(super) fn read(text: &str, from: usize, lines: &mut [Line], map: &LineMap) -> Blocks {
    let mut reader = Reader {
        text,
        from,
        blocks: Blocks::default(),
        painter: Painter { next: map.at(from).min(lines.len()), map, lines, open: Vec::new(), quotes: 0 },
        items: Vec::new(),
        lists: Vec::new(),
        list_count: 0,
        quotes: 0,
        inline: Vec::new(),
        heading: None,
    };
    if from >= text.len() {
        reader.painter.next = reader.painter.lines.len();
    }
    for (event, range) in Parser::new_ext(&text[from..], OPTIONS).into_offset_iter() {
        reader.event(event, Span::new(range.start + from, range.end + from));
    }
    let blocks = reader.blocks;
    for line in lines.iter_mut() {
        if text[line.span.start..line.span.end].trim().is_empty() {
            line.kind = LineKind::Blank;
        }
    }
    blocks
}

struct Reader<'t, 'l> {
    text: &'t str,
    from: usize,
    blocks: Blocks,
    painter: Painter<'l>,
    items: Vec<OpenItem>,
    lists: Vec<(usize, Option<u64>)>,
    list_count: usize,
    quotes: usize,
    /// Open links: index in `blocks.links`.
    inline: Vec<usize>,
    heading: Option<Heading>,
}

impl Reader<'_, '_> {
    fn event(&mut self, event: Event<'_>, span: Span) {
        match event {
            Event::Start(tag) => self.start(tag, span),
            Event::End(tag) => self.end(tag, span),
            Event::Text(text) => {
                self.inline_text(span);
                if let Some(heading) = &mut self.heading {
                    heading.text.push_str(&text);
                }
            }
            Event::Code(text) => {
                self.inline_text(span);
                self.blocks.code.push(span);
                if let Some(heading) = &mut self.heading {
                    heading.text.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut self.heading {
                    heading.text.push(' ');
                }
            }
            Event::InlineHtml(_) => {
                self.inline_text(span);
                self.html(span);
            }
            Event::TaskListMarker(ticked) => {
                if let Some(open) = self.items.last() {
                    self.blocks.items[open.index].task = Some(ticked);
                }
            }
            Event::Rule => {
                self.painter.enter(LineKind::Rule, span.start);
                self.painter.leave(span.end);
            }
            Event::FootnoteReference(_) => self.inline_text(span),
            Event::Html(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    /// Inline text: widens the heads of the heading and list item it stands in.
    fn inline_text(&mut self, span: Span) {
        if let Some(heading) = &mut self.heading {
            if heading.content.is_empty() {
                heading.content = span;
            }
            heading.content.end = heading.content.end.max(span.end);
        } else if let Some(open) = self.items.last_mut()
            && !open.head_done
        {
            let head = open.head.get_or_insert(span);
            head.end = head.end.max(span.end);
        }
    }

    fn close_head(&mut self) {
        if let Some(open) = self.items.last_mut() {
            open.head_done |= open.head.is_some();
        }
    }

    fn html(&mut self, span: Span) {
        let slice = &self.text[span.start..span.end];
        self.blocks.html.push(span);
        let mut at = 0;
        while let Some(open) = slice[at..].find("<!--") {
            let start = at + open;
            let end = slice[start + 4..].find("-->").map_or(slice.len(), |close| start + 4 + close + 3);
            self.blocks.comments.push(Span::new(span.start + start, span.start + end));
            at = end;
        }
    }

    fn start(&mut self, tag: Tag<'_>, span: Span) {
        match tag {
            Tag::Heading { level, .. } => {
                self.close_head();
                self.painter.enter(LineKind::Heading, span.start);
                let span = trim(self.text, span);
                // A stray carriage return ends a line for the parser, but no physical line.
                let line = &self.painter.lines[self.painter.map.at(span.start)];
                let opens_line = self.text[line.span.start..span.start].trim().is_empty();
                if self.items.is_empty() && self.quotes == 0 && opens_line {
                    let content = Span::new(span.start, span.start);
                    self.heading = Some(Heading { level: level_number(level), span, content, text: String::new() });
                }
            }
            Tag::Paragraph => {
                self.painter.enter(LineKind::Paragraph, span.start);
                self.blocks.paragraphs.push(Paragraph {
                    span: trim(self.text, span),
                    in_item: !self.items.is_empty(),
                    in_quote: self.quotes > 0,
                });
                if !self.items.is_empty() {
                    // A paragraph of an item is the item's: its lines keep that kind.
                    self.painter.open.pop();
                    self.painter.open.push(LineKind::ListItem);
                }
            }
            Tag::BlockQuote(_) => {
                self.close_head();
                self.quotes += 1;
                self.painter.enter(LineKind::Quote, span.start);
            }
            Tag::CodeBlock(kind) => {
                self.close_head();
                let tag = match kind {
                    CodeBlockKind::Fenced(info) => info.split([' ', ',', '{']).next().unwrap_or("").to_lowercase(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.painter.enter(LineKind::Code, span.start);
                self.blocks.fences.push(Fence { span: trim(self.text, span), tag });
            }
            Tag::HtmlBlock => {
                self.close_head();
                self.painter.enter(LineKind::Html, span.start);
                self.html(span);
            }
            Tag::List(first) => {
                self.close_head();
                self.list_count += 1;
                self.lists.push((self.list_count, first));
                self.painter.enter(LineKind::ListItem, span.start);
            }
            Tag::Item => {
                let &(list, first) = self.lists.last().unwrap_or(&(0, None));
                let ordinal = first.and_then(|_| self.written_number(span.start));
                let span = trim(self.text, span);
                let index = self.blocks.items.len();
                let parent = self.items.last().map(|open| open.index);
                let head = Span::new(span.end, span.end);
                self.blocks.items.push(ListItem { span, head, list, parent, ordinal, task: None });
                self.items.push(OpenItem { index, head: None, head_done: false });
                self.painter.enter(LineKind::ListItem, span.start);
            }
            Tag::FootnoteDefinition(_) => self.painter.enter(LineKind::Paragraph, span.start),
            Tag::Table(_) => {
                self.close_head();
                self.painter.enter(LineKind::TableHead, span.start);
                self.blocks.tables.push(Table { span: trim(self.text, span), ..Table::default() });
            }
            Tag::TableHead => {
                if let Some(table) = self.blocks.tables.last_mut() {
                    table.head.span = trim(self.text, span);
                }
            }
            Tag::TableRow => {
                self.painter.enter(LineKind::TableRow, span.start);
                if let Some(table) = self.blocks.tables.last_mut() {
                    table.rows.push(Row { span: trim(self.text, span), cells: Vec::new() });
                }
            }
            Tag::TableCell => {
                let cell = trim(self.text, span);
                if let Some(table) = self.blocks.tables.last_mut() {
                    let row = if table.rows.is_empty() { &mut table.head } else { table.rows.last_mut().expect("a row") };
                    row.cells.push(cell);
                }
            }
            Tag::Link { link_type, dest_url, .. } => {
                self.inline_text(span);
                let bare = matches!(link_type, LinkType::Autolink | LinkType::Email);
                let text = Span::new(span.start, if bare { span.end } else { span.start });
                self.inline.push(self.blocks.links.len());
                self.blocks.links.push(Link { span, text, target: dest_url.into_string() });
            }
            Tag::Image { dest_url, .. } => {
                self.inline_text(span);
                self.inline.push(self.blocks.links.len());
                self.blocks.links.push(Link { span, text: Span::new(span.start, span.start), target: dest_url.into_string() });
            }
            Tag::Strikethrough => {
                self.inline_text(span);
                self.blocks.struck.push(span);
            }
            Tag::Emphasis | Tag::Strong => self.inline_text(span),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, span: Span) {
        match tag {
            TagEnd::Heading(_) => {
                self.painter.leave(span.end);
                if let Some(mut heading) = self.heading.take() {
                    if self.is_paragraph_over_rule(&heading) {
                        self.as_paragraph(heading.span);
                        return;
                    }
                    heading.text = heading.text.split_whitespace().collect::<Vec<_>>().join(" ");
                    self.blocks.headings.push(heading);
                }
            }
            TagEnd::Paragraph => {
                self.painter.leave(span.end);
                self.close_head();
            }
            TagEnd::BlockQuote(_) => {
                self.quotes = self.quotes.saturating_sub(1);
                self.painter.leave(span.end);
            }
            TagEnd::CodeBlock | TagEnd::HtmlBlock | TagEnd::FootnoteDefinition | TagEnd::Table | TagEnd::TableRow => {
                self.painter.leave(span.end);
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.painter.leave(span.end);
            }
            TagEnd::Item => {
                if let Some(open) = self.items.pop()
                    && let Some(head) = open.head
                {
                    self.blocks.items[open.index].head = trim(self.text, head);
                }
                self.painter.leave(span.end);
            }
            TagEnd::TableHead => {
                // The delimiter row follows the head.
                self.painter.up_to(span.end);
            }
            TagEnd::Link | TagEnd::Image => {
                if let Some(index) = self.inline.pop() {
                    let link = &mut self.blocks.links[index];
                    if link.text.is_empty() {
                        link.text = link_text(self.text, link.span);
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether a heading underlined with dashes is text over what was meant as a rule: several lines, or `**Label**: value`.
    fn is_paragraph_over_rule(&self, heading: &Heading) -> bool {
        let raw = &self.text[heading.span.start..heading.span.end];
        let underlined = raw.ends_with('-') && raw.contains('\n') && !raw.starts_with('#');
        let content = &self.text[heading.content.start..heading.content.end];
        let labelled =
            content.starts_with("**") && (content.contains("**:") || content.contains(":**") || content.contains("**："));
        underlined && (content.contains('\n') || labelled)
    }

    /// Takes a heading's lines as a paragraph and the last one as a rule.
    fn as_paragraph(&mut self, span: Span) {
        let last = self.painter.map.at(span.end.saturating_sub(1));
        let first = self.painter.map.at(span.start);
        for line in &mut self.painter.lines[first..last] {
            line.kind = LineKind::Paragraph;
        }
        self.painter.lines[last].kind = LineKind::Rule;
        let end = self.painter.lines[last].span.start;
        let span = trim(self.text, Span::new(span.start, end.max(span.start)));
        self.blocks.paragraphs.push(Paragraph { span, in_item: false, in_quote: false });
    }

    /// The number of an ordered item as written in the source, which the parser counts on by itself.
    fn written_number(&self, start: usize) -> Option<u64> {
        debug_assert!(start >= self.from);
        let digits: String = self.text[start..].trim_start().chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    }
}

/// The text part of `[text](target)` or `![text](target)`.
fn link_text(text: &str, span: Span) -> Span {
    let slice = &text[span.start..span.end];
    let open = slice.find('[').map_or(0, |at| at + 1);
    let close = slice.rfind("](").or_else(|| slice.rfind("][")).or_else(|| slice.rfind(']')).unwrap_or(slice.len());
    Span::new(span.start + open.min(close), span.start + close)
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
