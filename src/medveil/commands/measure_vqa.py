"""`medveil measure vqa`: do answers to questions stay right when images are cleaned?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from medveil import console
from medveil.commands.app import measures
from medveil.commands.options import Config, Device, Json, LogLevel, Quiet, Seed, out_folder


@measures.command(epilog="Example: medveil measure vqa /data/vqa-rad -o /data/answers")
def vqa(
    source: Annotated[
        Path,
        typer.Argument(metavar="IN", help="A question set (VQA-RAD, SLAKE, PathVQA), a phantom hospital or a cohort."),
    ],
    out: Annotated[Path, out_folder("Folder for the report, its tables and the answers.")] = Path("vqa"),
    questions: Annotated[
        Path | None,
        typer.Option("--questions", help="Table with image_id, question and answer, for the images of a cohort."),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option("--split", help="Part of a question set, or all; val and test, where it has them, if not set."),
    ] = None,
    most: Annotated[
        int | None, typer.Option("--most", min=2, help="Ask no more questions than this, on images drawn by chance.")
    ] = None,
    model: Annotated[
        str, typer.Option("--model", help="Who answers: the bundled model, a folder, or a name on the hub.")
    ] = "medveil-answers",
    endpoint: Annotated[
        str | None, typer.Option("--endpoint", help="Address of a server that has the model, OpenAI-compatible.")
    ] = None,
    consent: Annotated[
        str | None, typer.Option("--consent", help="Host that the answering model's data may be sent to.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option("--judge", help="A chat model that judges answers: a folder, or a name on the hub.")
    ] = None,
    judge_endpoint: Annotated[
        str | None, typer.Option("--judge-endpoint", help="Address of a server that has the judge.")
    ] = None,
    judge_consent: Annotated[
        str | None, typer.Option("--judge-consent", help="Host that questions and answers may be sent to for judging.")
    ] = None,
    judge_prompt: Annotated[
        str | None, typer.Option("--judge-prompt", help="ours (if not set) or paper (ClinX's, word by word).")
    ] = None,
    nobody: Annotated[
        bool,
        typer.Option(
            "--nobody",
            help="Images, questions and answers are of nobody who needs protection (public or invented): they may go "
            "to an endpoint as they are.",
        ),
    ] = False,
    score: Annotated[
        str, typer.Option("--score", help="What counts, stated beforehand: strict, relaxed, token F1 or judge.")
    ] = "relaxed",
    margin: Annotated[
        float,
        typer.Option("--margin", help="Share of answers by which cleaned images may be worse, stated beforehand."),
    ] = 0.02,
    severity: Annotated[
        list[float] | None,
        typer.Option("--severity", help="Hide at least this share of the image too; repeat for several."),
    ] = None,
    label_sheet: Annotated[
        bool, typer.Option("--label-sheet", help="Also write a sheet and a page for a person to label a sample.")
    ] = False,
    labels: Annotated[
        Path | None, typer.Option("--labels", help="What a person said of that sample: κ, and corrected scores.")
    ] = None,
    device: Device = "cpu",
    seed: Seed = 7,
    json: Json = False,
    quiet: Quiet = False,
    log_level: LogLevel = "warning",
    config: Config = None,
) -> None:
    """Ask the same questions on raw and on cleaned images, and say whether answers stay right."""
    from medveil.release.vqa.measuring import VqaPlan, measure_vqa
    from medveil.release.vqa.models import answering, judging, score_called
    from medveil.release.vqa.questions import find_questions
    from medveil.utility.vqa.experiment.conditions import SEVERITIES

    console.start_logging(log_level)
    plan = VqaPlan(score_called(score), margin, tuple(severity) if severity else SEVERITIES, seed)
    answers = answering(model, device=device, endpoint=endpoint, consent=consent, nobody=nobody)
    judged_by = judging(
        judge, device=device, endpoint=judge_endpoint, consent=judge_consent, wording=judge_prompt, nobody=nobody
    )
    with console.progress_bars(quiet or json) as watch:
        outcome = measure_vqa(
            find_questions(source, file=questions, split=split, most=most, seed=seed),
            out,
            model=answers,
            plan=plan,
            judge=judged_by,
            labels=labels,
            label_sheet=label_sheet,
            progress=watch,
        )
    console.show_measure(outcome, json=json, quiet=quiet)
    raise typer.Exit(outcome.exit_code)
