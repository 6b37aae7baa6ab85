"""The pages of a policy: where it stands, its document, review, glossary, versions."""
