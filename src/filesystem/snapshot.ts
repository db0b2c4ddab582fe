/**
 * The content of a file system at one moment, kept as it was. Opaque: it is given back to `restore`, any number of times.
 *
 * A snapshot holds on to its content until it is released: `await using snapshot = await filesystem.snapshot('before')`
 * releases it at the end of the block. Whatever uses it afterwards is refused with the `SnapshotError`
 * `snapshot-released`; releasing twice does nothing. A rolled-back call does not undo the release.
 */
export interface FilesystemSnapshot extends AsyncDisposable {
  readonly kind: 'filesystem-snapshot';
  /** What it was called when it was taken, for messages and lists; need not be unique. Absent when it has no name. */
  readonly tag?: string;
}
