/**
 * What a repository, a revision or a path does not allow, as a message to the model: a tool returns it as a failed result, and the start of an
 * evaluation fails with it. It contains no host path.
 */
export class GitRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GitRefusal';
  }
}

/** What git prints cannot be read. */
export function damagedHistory(): GitRefusal {
  return new GitRefusal('git could not read the history: the repository may be damaged.');
}
