import { TransactionClosedError } from '../../error/index.ts';
import { type FileChange, type FilePatch, Filesystem, type FilesystemFork } from '../../filesystem/index.ts';
import { none } from '../../internal/index.ts';
import type {
  CallScope,
  OuterCall,
  Patience,
  ResourceContainer,
  ResourceFailure,
  ResourceForks,
  ResourceResolver,
  Token,
} from '../../resource/index.ts';
import type {
  EventDefinition,
  ForkOptions,
  SessionFork,
  SessionPatch,
  SessionView,
} from '../../session/index.ts';
import type { ToolEffects } from '../../tool/index.ts';

/** The session side of what calls fork from: a root session, or the fork of an outer call. */
export interface SessionRoot {
  fork(options?: ForkOptions): SessionFork;
  apply(patch: SessionPatch): void;
  dispatch<Input, Output>(event: EventDefinition<Input, Output>, payload: Input): void;
}

/** What the calls of an evaluation fork from and commit into. */
export interface TransactionRoots {
  readonly session: SessionRoot;
  readonly filesystem: Filesystem | undefined;
  readonly container: ResourceContainer;
}

/** Everything a call changes, as data: it can be put on any later state that the call's reads still hold for. */
export interface CallPatch {
  readonly session: SessionPatch;
  readonly files?: FilePatch;
}

/**
 * The transaction of one attempt at a tool call: private views of session, files and resources, the record of what was
 * read through them, and the patch of what was written.
 *
 * It is open while the handler runs; `seal` takes the views from the handler and leaves them to the policies; `close`
 * takes them from everyone. Conflicts and patch can be asked for until the object is dropped.
 */
export class CallTransaction {
  readonly #session: SessionFork;
  readonly #files: FilesystemFork | undefined;
  /** The files, once somebody was given a view of them: until then nothing was read or changed. */
  #seenFiles: FilesystemFork | undefined;
  readonly #container: ResourceContainer;
  readonly #resources: ResourceForks | undefined;
  readonly #readOnly: boolean;
  #scope: CallScope | undefined;
  #policyScope: CallScope | undefined;
  #look: (() => void) | undefined;
  /** The resources of outer prompts whose policies have asked for some. */
  #outerScopes: Map<ResourceContainer, CallScope> | undefined;
  #sealed = false;
  #scopeEnded = false;
  #closed = false;

  constructor(roots: TransactionRoots, effects: ToolEffects) {
    const readOnly = effects === 'read';
    this.#readOnly = readOnly;
    this.#container = roots.container;
    this.#session = roots.session.fork({ readOnly });
    this.#files = roots.filesystem?.fork({ readOnly });
    this.#resources = this.#container.openForks({ readOnly });
  }

  /** True until the handler's part has ended. */
  get isOpen(): boolean {
    return !this.#sealed && !this.#closed;
  }

  /** What the handler gets for its session. */
  get session(): SessionView {
    return this.#session.view;
  }

  /** What the calls of an evaluation inside the handler fork from and commit into. */
  get sessionFork(): SessionFork {
    return this.#session;
  }

  /** What a container for an evaluation inside the handler needs to know of this call; undefined when no resource takes part. */
  get outerResources(): OuterCall | undefined {
    return this.#container.outerCall(this.#resources);
  }

  /** What policies get for the session: may write although the tool may not. */
  get privilegedSession(): SessionView {
    return this.#session.privileged;
  }

  /** What the handler gets for its files. */
  get filesystem(): Filesystem | undefined {
    this.#seenFiles = this.#files;
    return this.#files?.view;
  }

  /** What policies get for the files. */
  get privilegedFilesystem(): Filesystem | undefined {
    this.#seenFiles = this.#files;
    return this.#files?.privileged;
  }

  /** The handler's resources, opened on first use. */
  get resources(): CallScope {
    this.#scope ??= this.#openScope(() => this.filesystem, this.#scopeEnded);
    return this.#scope;
  }

  /** What the handler looks its resources up with. */
  get resolver(): ResourceResolver {
    const { resolver } = this.resources;
    return this.#look === undefined ? resolver : this.#watched(resolver);
  }

  /**
   * Has `look` called before each access of the handler to session, files and resources. It must not throw, and may seal the transaction: the
   * access then throws `TransactionClosedError`.
   */
  watch(look: () => void): void {
    this.#look = look;
    this.#session.watch(look);
    this.#files?.watch?.(look);
  }

  #watched(resolver: ResourceResolver): ResourceResolver {
    const assertOpen = (): void => {
      this.#look?.();
      if (this.isOpen) return;
      throw new TransactionClosedError(
        'This tool call has ended, so its resources can no longer be used. Nothing that is written now would land anywhere.',
      );
    };
    return Object.freeze({
      get: async <T>(token: Token<T>): Promise<T> => {
        assertOpen();
        return resolver.get(token);
      },
      has: (token: Token<unknown>): boolean => {
        assertOpen();
        return resolver.has(token);
      },
    });
  }

  /**
   * Disposes what the handler's resources built: it gets none any more. @returns what went wrong, at once when there is nothing to
   * dispose.
   */
  closeResources(): readonly unknown[] | Promise<readonly unknown[]> {
    this.#scopeEnded = true;
    return this.#scope?.close() ?? none;
  }

  /** The policies' resources, opened on first use: they outlive those of the handler. */
  get policyResources(): CallScope {
    this.#policyScope ??= this.#openScope(() => this.privilegedFilesystem, this.#closed);
    return this.#policyScope;
  }

  /**
   * What policies of an outer prompt get for its resources, opened on first use.
   *
   * @param container over that prompt.
   * @param around the calls around this one that have transactional resources, innermost first.
   */
  outerPolicyResources(container: ResourceContainer, around: readonly OuterCall[]): CallScope {
    this.#outerScopes ??= new Map();
    let scope = this.#outerScopes.get(container);
    if (scope === undefined) {
      const own = this.outerResources;
      const calls = own === undefined ? around : [own, ...around];
      scope = this.#openScope(() => this.privilegedFilesystem, this.#closed, container, {
        view: (binding) => calls.find(({ bindings }) => bindings.has(binding))?.forks.view(binding),
      });
      this.#outerScopes.set(container, scope);
    }
    return scope;
  }

  /** A fork for what policies evaluate: it goes on when the handler's part has ended, and may not change STATE. */
  forkForPolicies(): SessionFork {
    return this.#session.fork({ readOnly: true, part: 'privileged' });
  }

  /** Ends such a fork: keeps what was logged in it and drops the rest. */
  endForkForPolicies(fork: SessionFork): void {
    if (!this.#closed) this.#session.apply(fork.discardedPatch(), 'privileged');
    fork.close();
  }

  /** The net changes to files so far. */
  changes(): readonly FileChange[] {
    return this.#seenFiles?.changes() ?? none;
  }

  /** The files whose content was read so far. */
  readPaths(): readonly string[] {
    return this.#seenFiles?.readPaths() ?? none;
  }

  /** What was read and is different now, by name. Empty: the outcome is what it would be if the call ran now. */
  conflicts(): readonly string[] | Promise<readonly string[]> {
    // Most calls touch the session alone.
    return this.#resources === undefined && this.#seenFiles === undefined
      ? this.#session.conflicts()
      : this.#withResources(() => this.#namesFrom((fork) => fork.conflicts()));
  }

  /** Why what was written cannot be put on the present state, whatever was read; empty when it can. */
  refusals(): readonly string[] | Promise<readonly string[]> {
    return this.#resources === undefined && this.#seenFiles === undefined
      ? this.#session.refusals()
      : this.#withResources(() => this.#namesFrom((fork) => fork.refusals()));
  }

  /** Everything that was written, for a commit. */
  patch(): CallPatch {
    const session = this.#session.patch();
    const files = this.#seenFiles?.patch();
    return files === undefined || files.changes.length === 0 ? { session } : { session, files };
  }

  /** What stays after a rollback: log entries only. */
  discardedPatch(): CallPatch {
    return { session: this.#session.discardedPatch() };
  }

  /**
   * Ends the resources' part of a call that succeeded: commits them, or rolls them back when the tool must not change
   * anything. Answers with what failed; what is neither committed nor rolled back then is left to {@link rollBackResources}.
   * Answers at once when the resources do.
   */
  commitResources(patience: Patience): ResourceFailure | undefined | Promise<ResourceFailure | undefined> {
    if (this.#resources === undefined) return undefined;
    if (!this.#readOnly) return this.#resources.commit();
    const failures = this.#resources.rollback(patience);
    return failures instanceof Promise ? failures.then(([first]) => first) : failures[0];
  }

  /** Rolls back the resources that were not committed. Answers with what could not be. Never rejects. */
  rollBackResources(patience: Patience): readonly ResourceFailure[] | Promise<readonly ResourceFailure[]> {
    return this.#resources?.rollback(patience) ?? none;
  }

  /** The resources whose commit is in place. */
  get committedResources(): readonly string[] {
    return this.#resources?.committed ?? none;
  }

  /** The resources that could not be rolled back. */
  get stuckResources(): readonly string[] {
    return this.#resources?.stuck ?? none;
  }

  /** The resources that the handler asked for although they take no part in the transaction. */
  get plainResources(): Iterable<string> {
    return this.#scope?.reached ?? none;
  }

  /** Ends the handler's part: any further access through its views throws `TransactionClosedError`. */
  seal(): void {
    this.#sealed = true;
    this.#session.seal();
    this.#files?.seal();
    this.#resources?.seal();
  }

  /**
   * Ends the transaction for everyone and disposes what handler and policies built. Resources that take part are neither committed nor
   * rolled back by it. @returns what went wrong, at once when there is nothing to dispose.
   */
  close(): readonly unknown[] | Promise<readonly unknown[]> {
    if (this.#closed) return none;
    this.#closed = true;
    this.#session.close();
    this.#files?.close();
    this.#resources?.seal();
    const ofHandler = this.closeResources();
    const isQuiet = !(ofHandler instanceof Promise) && ofHandler.length === 0;
    return isQuiet &&
      this.#policyScope === undefined &&
      this.#outerScopes === undefined &&
      this.#resources === undefined
      ? none
      : this.#closeScopes(ofHandler);
  }

  async #closeScopes(
    ofHandler: readonly unknown[] | Promise<readonly unknown[]>,
  ): Promise<readonly unknown[]> {
    const errors = [...(await ofHandler), ...((await this.#policyScope?.close()) ?? none)];
    for (const scope of this.#outerScopes?.values() ?? none) errors.push(...(await scope.close()));
    return [...errors, ...(this.#resources?.takeFaults() ?? none)];
  }

  #openScope(
    files: () => Filesystem | undefined,
    hasEnded: boolean,
    container: ResourceContainer = this.#container,
    views: Parameters<ResourceContainer['openCallScope']>[1] = this.#resources,
  ): CallScope {
    const scope = container.openCallScope(this.#files === undefined ? none : [[Filesystem, files]], views);
    // Nothing is in it yet, so there is nothing to wait for.
    if (hasEnded) void scope.close();
    return scope;
  }

  /** What resources and `own` find, the latter in the synchronous stretch in which the answer is given whenever it can. */
  #withResources(
    own: () => readonly string[] | Promise<readonly string[]>,
  ): readonly string[] | Promise<readonly string[]> {
    const inResources = this.#resources?.conflicts() ?? [];
    // What waits comes first: session and files are asked when nothing has to be waited for any more.
    if (inResources instanceof Promise)
      return inResources.then(async (names) => [...(await own()), ...names]);
    return joined(own(), inResources);
  }

  /** What session and files answer together: at once when the files do. */
  #namesFrom(
    ask: (fork: SessionFork | FilesystemFork) => readonly string[] | Promise<readonly string[]>,
  ): readonly string[] | Promise<readonly string[]> {
    const inSession = ask(this.#session);
    if (this.#seenFiles === undefined) return inSession;
    return joined(inSession, ask(this.#seenFiles));
  }
}

/** Both lists as one; a promise only when one of them is. */
function joined(
  left: readonly string[] | Promise<readonly string[]>,
  right: readonly string[] | Promise<readonly string[]>,
): readonly string[] | Promise<readonly string[]> {
  if (left instanceof Promise || right instanceof Promise) {
    return Promise.all([left, right]).then(([first, second]) => [...first, ...second]);
  }
  return right.length === 0 ? left : [...left, ...right];
}

/**
 * Puts a patch on the present state: files first, then the session, whose subscribers hear about it last. Cannot fail
 * after `conflicts()` (or `refusals()`) answered with nothing in the same synchronous stretch.
 */
export function applyPatch(roots: TransactionRoots, patch: CallPatch): void | Promise<void> {
  const applied = patch.files === undefined ? undefined : roots.filesystem?.apply(patch.files);
  if (applied instanceof Promise) return applied.then(() => roots.session.apply(patch.session));
  roots.session.apply(patch.session);
}
