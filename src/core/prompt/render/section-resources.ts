import { TransactionClosedError } from '../../error/index.ts';
import { Filesystem, type FilesystemFork } from '../../filesystem/index.ts';
import type { ResourceResolver, ResourceToken } from '../../resource/index.ts';

/**
 * The resources of a prompt as its sections see them while they are rendered: the file system can only be read. What other
 * services do is theirs to say.
 */
export class SectionResources implements ResourceResolver {
  readonly #resolver: ResourceResolver;
  #files: Promise<FilesystemFork> | undefined;
  #isClosed = false;

  constructor(resolver: ResourceResolver) {
    this.#resolver = resolver;
    Object.freeze(this);
  }

  async get<T>(token: ResourceToken<T>): Promise<T> {
    if (this.#isClosed) {
      throw new TransactionClosedError('The prompt is rendered: its sections can no longer use resources.');
    }
    const wanted: ResourceToken<unknown> = token;
    if (wanted !== Filesystem) return this.#resolver.get(token);
    this.#files ??= this.#resolver.get(Filesystem).then((files) => files.fork({ readOnly: true }));
    const { view } = await this.#files;
    // The token is that of file systems, so `T` is one.
    return view as T;
  }

  has(token: ResourceToken<unknown>): boolean {
    return this.#resolver.has(token);
  }

  /** Ends the reading: nothing that a section keeps can be used any more. */
  close(): void {
    this.#isClosed = true;
    // A failed look-up has already been reported to its caller.
    this.#files?.then(
      (files) => files.dispose(),
      () => undefined,
    );
  }
}
