"""Answers as models of each family write them, with the objects in them worked out by hand in norm1000.

The first of each family is about a picture of 100 x 50 pixels and names one car, or one car and one cone, so that
conversions can use it: in `json` the car is the box (100, 400) to (400, 600) and the cone the triangle (500, 200),
(700, 200), (700, 800), other families have about the same car.
"""

from typing import NamedTuple

BOX, POLY = "bbox_2d", "poly"


class RealAnswer(NamedTuple):
    """A text, what it holds as (type, points, desc), and the size of the picture that the model was given."""

    text: str
    objects: list
    status: str = "ok"
    size: tuple = (100, 50)


FENCED = '```json\n[\n  {"box_2d": [353, 28, 756, 430], "label": "the left cat"},\n  {"box_2d": [101, 502, 900, 999], '
PIXELS = '[\n\t{"bbox_2d": [%s], "label": "red car"},\n\t{"bbox_2d": [%s], "label": "bus", "sub_label": "front"}\n]'
SEGMENT = "".join(f"<seg{code:03}>" for code in (9, 106, 55, 120, 21, 85, 35, 49, 12, 0, 111, 65, 20, 100, 10, 1))
REAL = {
    "json": [
        RealAnswer(
            '[{"bbox_2d": [100, 400, 400, 600], "label": "car", "score": 0.75},'
            ' {"poly": [500, 200, 700, 200, 700, 800], "label": "cone", "score": 0.5}]',
            [(BOX, [100, 400, 400, 600], "car"), (POLY, [500, 200, 700, 200, 700, 800], "cone")],
        ),
        RealAnswer(
            "Sure! I see:\n\n```json\n{'object_1': {'box': [1, 2, 30, 40], 'desc': 'cat'},}\n```\nAnything else?",
            [(BOX, [1, 2, 30, 40], "cat")],
            "repaired",
        ),
        RealAnswer(
            '<think>There is a cat, maybe [{"bbox_2d": [9, 9, 9, 9]}].</think>\n\n'
            '{"objects": [{"bbox_2d": [1, 2, 30, 40], "label": "cat"}]}',
            [(BOX, [1, 2, 30, 40], "cat")],
        ),
        RealAnswer('<think>There is a cat, at [{"bbox_2d": [1, 2, 30, 40], "label": "cat"}]. Or', [], "failed"),
        RealAnswer(
            '[{"bbox_2d": [1, 2, 30, 40], "label": "cat"}, {"bbox_2d": [5, 6, 70, 80], "la',
            [(BOX, [1, 2, 30, 40], "cat")],
            "truncated",
        ),
    ],
    # x before y, corners in brackets, 0 to 1000
    "qwen2": [
        RealAnswer(
            "<|object_ref_start|>car<|object_ref_end|><|box_start|>(100,400),(400,600)<|box_end|><|im_end|>",
            [(BOX, [100, 400, 400, 600], "car")],
        ),
        RealAnswer(
            "The image shows <|object_ref_start|>the eyes on a giraffe<|object_ref_end|>"
            "<|box_start|>(576,236),(598,256)<|box_end|><|box_start|>(536,242),(552,261)<|box_end|>.",
            [
                (BOX, [576, 236, 598, 256], "the eyes on a giraffe"),
                (BOX, [536, 242, 552, 261], "the eyes on a giraffe"),
            ],
        ),
        RealAnswer(
            "<ref>the sign</ref><quad>(10,20),(310,25),(309,95),(11,90)</quad>",
            [(POLY, [10, 20, 310, 25, 309, 95, 11, 90], "the sign")],
        ),
        RealAnswer(
            "<|object_ref_start|>a dog<|object_ref_end|><|box_start|>(1,2),(30,40)<|box_end|><|object_ref_start|>a c",
            [(BOX, [1, 2, 30, 40], "a dog")],
            "truncated",
        ),
    ],
    # pixels of the picture as it was resized, to multiples of 28: 1092 x 728 of 1080 x 720, say
    "qwen2.5": [
        RealAnswer('[{"bbox_2d": [10, 20, 40, 30], "label": "car"}]', [(BOX, [100, 400, 400, 600], "car")]),
        RealAnswer(  # 273 / 1092 = 1/4, 546 / 1092 = 1/2; 91 / 728 = 1/8, 182 / 728 = 1/4, 364 / 728 = 1/2
            f"```json\n{PIXELS % ('273, 91, 546, 182', '0, 182, 273, 364')}\n```",
            [(BOX, [250, 125, 500, 250], "red car"), (BOX, [0, 250, 250, 500], "bus")],
            size=(1092, 728),
        ),
        RealAnswer(
            '```json\n[\n\t{"point_2d": [546, 182], "label": "hand"}\n]\n```',
            [(BOX, [500, 250, 500, 250], "hand")],
            size=(1092, 728),
        ),
        RealAnswer(
            'The boxes are:\n```json\n[\n\t{"bbox_2d": [273, 91, 546, 182], "label": "red car"},\n\t{"bbox_2d": [0, 18',
            [(BOX, [250, 125, 500, 250], "red car")],
            "truncated",
            size=(1092, 728),
        ),
    ],
    "qwen3": [
        RealAnswer('[{"bbox_2d": [100, 400, 400, 600], "label": "car"}]', [(BOX, [100, 400, 400, 600], "car")]),
        RealAnswer(
            f"```json\n{PIXELS % ('273, 91, 546, 182', '0, 182, 273, 364')}\n```",
            [(BOX, [273, 91, 546, 182], "red car"), (BOX, [0, 182, 273, 364], "bus")],
            size=(1092, 728),
        ),
        RealAnswer(
            '<think>\nThe user wants points.\n</think>\n\n```json\n[{"point_2d": [512, 345], "label": "nose"}]\n```',
            [(BOX, [512, 345, 512, 345], "nose")],
        ),
        RealAnswer(
            '<answer>{"bbox_2d": [1, 2, 30, 40], "label": "cat"}</answer>', [(BOX, [1, 2, 30, 40], "cat")], "repaired"
        ),
    ],
    # y before x
    "gemini": [
        RealAnswer('[{"box_2d": [400, 100, 600, 400], "label": "car"}]', [(BOX, [100, 400, 400, 600], "car")]),
        RealAnswer(
            FENCED + '"label": "remote, \\"TV\\""}\n]\n```',
            [(BOX, [28, 353, 430, 756], "the left cat"), (BOX, [502, 101, 999, 900], 'remote, "TV"')],
        ),
        RealAnswer(
            '```json\n[{"box_2d": [353, 28, 756, 430], "mask": "data:image/png;base64,iVBORw0K", "label": "cat"}]\n```',
            [(BOX, [28, 353, 430, 756], "cat")],
        ),
        RealAnswer(
            '```json\n[{"point": [120, 840], "label": "door handle"}]\n```',
            [(BOX, [840, 120, 840, 120], "door handle")],
        ),
        RealAnswer(FENCED, [(BOX, [28, 353, 430, 756], "the left cat")], "truncated"),
    ],
    "internvl": [
        RealAnswer("<ref>car</ref><box>[[100, 400, 400, 600]]</box>", [(BOX, [100, 400, 400, 600], "car")]),
        RealAnswer(
            "There are <ref>two cats</ref><box>[[12, 110, 496, 985], [530, 45, 999, 770]]</box> on a couch.<|im_end|>",
            [(BOX, [12, 110, 496, 985], "two cats"), (BOX, [530, 45, 999, 770], "two cats")],
        ),
        RealAnswer("<ref>the dog</ref><box>[[12, 110, 496, 98", [], "failed"),
    ],
    # y0 x0 y1 x1 of 1024
    "paligemma": [
        RealAnswer(  # 256 / 1024 = 0.25, 128 / 1024 = 0.125, 512 / 1024 = 0.5, 384 / 1024 = 0.375
            "<loc0256><loc0128><loc0512><loc0384> car", [(BOX, [125, 250, 375, 500], "car")]
        ),
        RealAnswer(
            "<loc0256><loc0128><loc0512><loc0384> cat ; <loc0000><loc0512><loc1023><loc0768> remote control<eos>",
            [(BOX, [125, 250, 375, 500], "cat"), (BOX, [500, 0, 750, 999.0234375], "remote control")],
        ),
        RealAnswer(f"<loc0256><loc0128><loc0512><loc0384>{SEGMENT} cat", [(BOX, [125, 250, 375, 500], "cat")]),
        RealAnswer(
            "<loc0256><loc0128><loc0512><loc0384> cat ; <loc0000><loc05",
            [(BOX, [125, 250, 375, 500], "cat")],
            "truncated",
        ),
    ],
    # the middle of 1000 cells
    "florence": [
        RealAnswer("</s><s>car<loc_99><loc_399><loc_399><loc_599></s>", [(BOX, [99.5, 399.5, 399.5, 599.5], "car")]),
        RealAnswer(  # as published with the model, for <OD>
            "</s><s>car<loc_52><loc_332><loc_932><loc_774>wheel<loc_708><loc_575><loc_864><loc_773>"
            "<loc_147><loc_563><loc_305><loc_770></s>",
            [
                (BOX, [52.5, 332.5, 932.5, 774.5], "car"),
                (BOX, [708.5, 575.5, 864.5, 773.5], "wheel"),
                (BOX, [147.5, 563.5, 305.5, 770.5], "wheel"),
            ],
        ),
        RealAnswer(  # <OCR_WITH_REGION>: four corners of each line
            "</s><s>STOP<loc_10><loc_10><loc_90><loc_11><loc_90><loc_20><loc_10><loc_19>"
            "GO<loc_30><loc_30><loc_60><loc_31><loc_60><loc_40><loc_30><loc_39></s>",
            [
                (POLY, [10.5, 10.5, 90.5, 11.5, 90.5, 20.5, 10.5, 19.5], "STOP"),
                (POLY, [30.5, 30.5, 60.5, 31.5, 60.5, 40.5, 30.5, 39.5], "GO"),
            ],
        ),
        RealAnswer(  # <REFERRING_EXPRESSION_SEGMENTATION>: six corners, no label
            "</s><s><loc_10><loc_0><loc_20><loc_0><loc_30><loc_10><loc_20><loc_20><loc_10><loc_20><loc_0><loc_10></s>",
            [(POLY, [10.5, 0.5, 20.5, 0.5, 30.5, 10.5, 20.5, 20.5, 10.5, 20.5, 0.5, 10.5], "")],
        ),
        RealAnswer(  # <REGION_PROPOSAL>: boxes without labels
            "</s><s><loc_52><loc_332><loc_932><loc_774><loc_708><loc_575><loc_864><loc_773></s>",
            [(BOX, [52.5, 332.5, 932.5, 774.5], ""), (BOX, [708.5, 575.5, 864.5, 773.5], "")],
        ),
    ],
    # middles of cells of 31.25
    "kosmos": [
        RealAnswer(  # 417 = 13 * 32 + 1 and 591 = 18 * 32 + 15: columns 1 to 15, rows 13 to 18
            "<grounding> An image of<phrase> car</phrase><object><patch_index_0417><patch_index_0591></object>.",
            [(BOX, [1.5 * 31.25, 13.5 * 31.25, 15.5 * 31.25, 18.5 * 31.25], "car")],
        ),
        RealAnswer(  # as published with the model: 0.390625, 0.046875, 0.984375, 0.828125 and 0.171875, 0.015625, …
            "<grounding> An image of<phrase> a snowman</phrase><object><patch_index_0044><patch_index_0863></object>"
            " warming himself by<phrase> a fire</phrase><object><patch_index_0005><patch_index_0911></object>.",
            [
                (BOX, [390.625, 46.875, 984.375, 828.125], "a snowman"),
                (BOX, [171.875, 15.625, 484.375, 890.625], "a fire"),
            ],
        ),
        RealAnswer(
            "<phrase> a dog</phrase><object><patch_index_0000><patch_index_0033></object> and<phrase> a ca",
            [(BOX, [15.625, 15.625, 46.875, 46.875], "a dog")],
            "truncated",
        ),
    ],
    # 0 to 999
    "deepseek": [
        RealAnswer(
            "<|ref|>car<|/ref|><|det|>[[111, 333, 444, 666]]<|/det|>",  # 1/9, 1/3, 4/9, 2/3
            [(BOX, [1000 / 9, 1000 / 3, 4000 / 9, 2000 / 3], "car")],
        ),
        RealAnswer(
            "I see <|ref|>a dog<|/ref|><|det|>[[333, 0, 999, 666], [0, 0, 333, 333]]<|/det|>.<｜end▁of▁sentence｜>",
            [(BOX, [1000 / 3, 0, 1000, 2000 / 3], "a dog"), (BOX, [0, 0, 1000 / 3, 1000 / 3], "a dog")],
        ),
        RealAnswer(  # a document, as DeepSeek-OCR reads it
            "<|ref|>title<|/ref|><|det|>[[0, 0, 999, 111]]<|/det|>\n# Annual report\n\n"
            "<|ref|>text<|/ref|><|det|>[[0, 222, 999, 333]]<|/det|>\nIn the year [1] we …",
            [(BOX, [0, 0, 1000, 1000 / 9], "title"), (BOX, [0, 2000 / 9, 1000, 1000 / 3], "text")],
        ),
    ],
    # points in percent, of Molmo 2 in 0 to 1000
    "molmo": [
        RealAnswer('<point x="25.0" y="50.0" alt="car">car</point>', [(BOX, [250, 500, 250, 500], "car")]),
        RealAnswer(
            'The <points x1="21.0" y1="53.5" x2="78.5" y2="42.0" alt="boats">boats</points> are 2.',
            [(BOX, [210, 535, 210, 535], "boats"), (BOX, [785, 420, 785, 420], "boats")],
        ),
        RealAnswer(
            '<point x=" 63.5" y=" 44.0" alt="Mt Rainier">Mt Rainier</point>',
            [(BOX, [635, 440, 635, 440], "Mt Rainier")],
        ),
        RealAnswer(
            '<points coords="1 1 497 382 2 601 377">dogs</points>',
            [(BOX, [497, 382, 497, 382], "dogs"), (BOX, [601, 377, 601, 377], "dogs")],
        ),
        RealAnswer('<points x1="21.0" y1="53.5" x2="78.5" y2="4', [(BOX, [210, 535, 210, 535], "")], "truncated"),
    ],
}
