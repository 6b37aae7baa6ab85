"""Pages of the glossary on which people merge, split, join and rename."""

from __future__ import annotations

from django.urls import path

from vetting.views import alike, datatypes, merging, splits, values

GLOSSARY = "policies/<slug:slug>/glossary/"
RULES = "policies/<slug:slug>/rules/<str:uid>/"

urlpatterns = [
    path(f"{GLOSSARY}alike/", alike.alike, name="alike"),
    path(f"{GLOSSARY}alike/search/", alike.search, name="find-merges"),
    path(f"{GLOSSARY}alike/<str:uid>/apart/", alike.apart, name="keep-apart"),
    path(f"{GLOSSARY}alike/<str:uid>/again/", alike.again, name="propose-again"),
    path(f"{GLOSSARY}merge/", merging.merge, name="merge"),
    path(f"{GLOSSARY}merges/<int:pk>/undo/", merging.undo, name="undo-merge"),
    path(f"{GLOSSARY}datatypes/new/", datatypes.declare, name="declare-datatype"),
    path(f"{GLOSSARY}datatypes/<str:uid>/", datatypes.datatype, name="datatype"),
    path(f"{GLOSSARY}datatypes/<str:uid>/split/", splits.datatype, name="split-datatype"),
    path(f"{GLOSSARY}datatypes/<str:uid>/values/", values.values, name="values"),
    path(f"{GLOSSARY}datatypes/<str:uid>/values/say/", values.say, name="say-values"),
    path(f"{GLOSSARY}datatypes/<str:uid>/values/other/", values.other, name="add-other"),
    path(f"{GLOSSARY}datatypes/<str:uid>/values/facts/", values.facts, name="values-to-facts"),
    path(f"{GLOSSARY}values/<str:uid>/split/", splits.value, name="split-value"),
    path(f"{GLOSSARY}<str:uid>/split/", splits.variable, name="split-variable"),
    path(f"{RULES}parts/", splits.rule, name="rule-parts"),
    path(f"{RULES}split/", splits.split, name="split-rule"),
    path(f"{RULES}join/", splits.join, name="join-rules"),
    path(f"{RULES}rename/", splits.rename, name="rename-rule"),
]
