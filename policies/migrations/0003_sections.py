from typing import Any

import django.db.models.deletion
from django.db import migrations, models


def cut_known_revisions(apps: Any, schema_editor: Any) -> None:
    """Sections of the revisions that an older release stored."""
    from policies.sections import section_rows
    from policies.structures import stored_document

    DocumentRevision = apps.get_model("policies", "DocumentRevision")
    Section = apps.get_model("policies", "Section")
    for revision in DocumentRevision.objects.select_related("document").iterator(chunk_size=1):
        sentences = list(revision.sentences.order_by("ordinal"))
        for sentence in sentences:
            sentence.revision = revision
        document = stored_document(revision, sentences)
        rows = section_rows(revision.pk, document, sentences)
        Section.objects.bulk_create((Section(**row) for row in rows), batch_size=200)


class Migration(migrations.Migration):
    dependencies = [
        ("policies", "0002_documents_in_full"),
    ]

    operations = [
        migrations.CreateModel(
            name="Section",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("ordinal", models.PositiveIntegerField()),
                ("level", models.PositiveIntegerField(default=0)),
                ("part", models.PositiveIntegerField(default=1)),
                ("headings", models.JSONField(default=list)),
                ("page", models.PositiveIntegerField(default=0)),
                ("first", models.PositiveIntegerField()),
                ("sentences", models.JSONField(default=list)),
                ("start", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("content", models.JSONField(default=dict)),
                (
                    "revision",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="sections",
                        to="policies.documentrevision",
                    ),
                ),
            ],
            options={
                "ordering": ["revision", "ordinal"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("revision", "ordinal"), name="one_section_a_place"
                    )
                ],
            },
        ),
        migrations.AddField(
            model_name="rulesource",
            name="part",
            field=models.CharField(
                choices=[
                    ("states", "states this rule"),
                    ("limits", "limits this rule"),
                    ("defines", "defines a word of this rule"),
                ],
                default="states",
                max_length=7,
            ),
        ),
        migrations.RunPython(cut_known_revisions, migrations.RunPython.noop),
    ]
