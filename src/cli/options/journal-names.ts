/** What a command line says of a journal. */
export interface JournalNames {
  /** A file, or the address of a database; undefined: that of the environment, or else the one in the user's state folder. */
  readonly journal: string | undefined;
  /** Where the rows are that are too long for it: a folder, or a module; undefined: what the environment says, or else nowhere. */
  readonly blobs: string | undefined;
}

/** What `--journal` and `--blobs` say; undefined when neither is there. */
export function journalNamesOf({
  journal,
  blobs,
}: {
  readonly journal?: string | undefined;
  readonly blobs?: string | undefined;
}): JournalNames | undefined {
  return journal === undefined && blobs === undefined ? undefined : { journal, blobs };
}
