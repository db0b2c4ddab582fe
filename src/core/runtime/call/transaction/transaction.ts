import { TransactionClosedError } from '../../../error/index.ts';
import {
  type FileChange,
  type FilePatch,
  type FileRead,
  Filesystem,
  type FilesystemFork,
  type ObservedFork,
  type ObserveOptions,
} from '../../../filesystem/index.ts';
import { isPromiseLike, none } from '../../../internal/index.ts';
import type {
  Awaiter,
  CallScope,
  DecidingRow,
  OuterResources,
  ResourceContainer,
  ResourceFailure,
  ResourceForks,
  ResourceResolver,
  ResourceToken,
} from '../../../resource/index.ts';
import {
  type EventDefinition,
  type EventDelivery,
  type ForkOptions,
  isSessionRead,
  type ObservedSessionFork,
  type SessionFork,
  type SessionPatch,
  type SessionRead,
  type SessionView,
  type StateDifference,
  type StateMark,
} from '../../../session/index.ts';
import type { ToolEffects } from '../../../tool/index.ts';

/** The session side of what calls fork from: a root session, or the fork of an outer call. */
export interface SessionRoot {
  fork(options?: ForkOptions): SessionFork;
  /** Applies a patch to the state. @returns a function that calls the subscribers. */
  applyQuietly(patch: SessionPatch): (delivery?: EventDelivery) => void;
  dispatch<Input, Output>(event: EventDefinition<Input, Output>, payload: Input): void;
  /** The present state, to compare a later one with. */
  mark(): StateMark;
  changesSince(mark: StateMark): StateDifference;
}

/** What the calls of an evaluation fork from and commit into. */
export interface TransactionRoots {
  readonly session: SessionRoot;
  readonly filesystem: Filesystem | undefined;
  readonly container: ResourceContainer;
}

/** Calls the subscribers of what was applied. */
export type Notify = (delivery?: EventDelivery) => void;

/** Everything a call changes, as data: it can be put on any later state that the call's reads still hold for. */
export interface CallPatch {
  readonly session: SessionPatch;
  readonly files?: FilePatch;
}

const noFiles: ObservedFork = Object.freeze({ reads: none, changes: none });

/** What a call has read and done. */
export interface ObservedTransaction extends Omit<ObservedSessionFork, 'reads'> {
  readonly reads: readonly (FileRead | SessionRead)[];
  readonly files: readonly FileChange[];
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
  /** The files, once a view of them was handed out: until then nothing was read or changed. */
  #seenFiles: FilesystemFork | undefined;
  readonly #container: ResourceContainer;
  readonly #resources: ResourceForks | undefined;
  readonly #readOnly: boolean;
  #scope: CallScope | undefined;
  #policyScope: CallScope | undefined;
  #accessListener: (() => void) | undefined;
  /** The resources of outer prompts whose policies have asked for some. */
  #outerScopes: Map<ResourceContainer, CallScope> | undefined;
  #sealed = false;
  #scopeEnded = false;
  #closed = false;
  #disposed = false;

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
  get outerResources(): OuterResources | undefined {
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

  /** Resolves the handler's resources. */
  get resolver(): ResourceResolver {
    const { resolver } = this.resources;
    return this.#accessListener === undefined ? resolver : this.#observed(resolver);
  }

  /**
   * Calls `listener` before each access of the handler to session, files and resources. It must not throw, and may seal the transaction: the
   * access then throws `TransactionClosedError`.
   */
  onAccess(listener: () => void): void {
    this.#accessListener = listener;
    this.#session.onAccess(listener);
    this.#files?.onAccess?.(listener);
  }

  #observed(resolver: ResourceResolver): ResourceResolver {
    const assertOpen = (): void => {
      this.#accessListener?.();
      if (this.isOpen) return;
      throw new TransactionClosedError(
        'This tool call has ended, so its resources can no longer be used. Nothing that is written now would land anywhere.',
      );
    };
    return Object.freeze({
      get: async <T>(token: ResourceToken<T>): Promise<T> => {
        assertOpen();
        return resolver.get(token);
      },
      has: (token: ResourceToken<unknown>): boolean => {
        assertOpen();
        return resolver.has(token);
      },
    });
  }

  /** Disposes what the handler's resources built: it gets none any more. Resolves with what went wrong. */
  async disposeResources(): Promise<readonly unknown[]> {
    this.#scopeEnded = true;
    return (await this.#scope?.dispose()) ?? none;
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
   * @param outer the outer calls that have transactional resources, innermost first.
   */
  outerPolicyResources(container: ResourceContainer, outer: readonly OuterResources[]): CallScope {
    this.#outerScopes ??= new Map();
    let scope = this.#outerScopes.get(container);
    if (scope === undefined) {
      const own = this.outerResources;
      const calls = own === undefined ? outer : [own, ...outer];
      scope = this.#openScope(() => this.privilegedFilesystem, this.#closed, container, {
        view: (binding) => calls.find(({ bindings }) => bindings.has(binding))?.forks.sharedView(binding),
      });
      this.#outerScopes.set(container, scope);
    }
    return scope;
  }

  /** A fork for evaluations of policies: it stays usable after the handler's part has ended, and cannot change STATE. */
  forkForPolicies(): SessionFork {
    return this.#session.fork({ readOnly: true, part: 'privileged' });
  }

  /** Ends such a fork: keeps what was logged in it and drops the rest. */
  applyPolicyFork(fork: SessionFork): void {
    if (!this.#closed) this.#session.apply(fork.discardedPatch(), 'privileged');
    fork.dispose();
  }

  /**
   * What was read and done so far, for observers; looking at it does not count as a read.
   *
   * @param options whether each read has its result.
   */
  observe(options?: ObserveOptions): ObservedTransaction {
    const { reads, writes, log, events } = this.#session.observe(options);
    const files = this.#seenFiles;
    const observed =
      files === undefined ? noFiles : (files.observe?.(options) ?? { reads: none, changes: files.changes() });
    return { reads: [...reads, ...observed.reads], writes, log, events, files: observed.changes };
  }

  /** Does a read of another transaction again. @returns its result; undefined when that cannot be compared. */
  readAgain(read: FileRead | SessionRead): string | undefined {
    if (isSessionRead(read)) return this.#session.readAgain(read);
    this.#seenFiles = this.#files;
    return this.#files?.readAgain?.(read);
  }

  /** The net changes to files so far. */
  changes(): readonly FileChange[] {
    return this.#seenFiles?.changes() ?? none;
  }

  /** Says whose content was read so far; undefined while no files were looked at. */
  get fileReads(): Pick<FilesystemFork, 'readPaths' | '~contentReads' | 'observe'> | undefined {
    return this.#seenFiles;
  }

  /** True when resources take part: whether their reads hold may have to be awaited. */
  get hasResources(): boolean {
    return this.#resources?.isEmpty === false;
  }

  /**
   * What was read in the session and the files and is different now, by name. Empty: the outcome is what it would be if the call ran
   * now. Synchronous, so that the changes can be applied before anything else runs.
   */
  conflicts(): readonly string[] {
    const inSession = this.#session.conflicts();
    if (this.#seenFiles === undefined) return inSession;
    const inFiles = this.#seenFiles.conflicts();
    return inFiles.length === 0 ? inSession : [...inSession, ...inFiles];
  }

  /** Why the writes to session and files cannot be applied to the present state, regardless of reads; empty when they can. */
  refusals(): readonly string[] {
    const inSession = this.#session.refusals();
    if (this.#seenFiles === undefined) return inSession;
    const inFiles = this.#seenFiles.refusals();
    return inFiles.length === 0 ? inSession : [...inSession, ...inFiles];
  }

  /** What was read in the resources that are neither committed nor rolled back and is different now. */
  async resourceConflicts(): Promise<readonly string[]> {
    return (await this.#resources?.conflicts()) ?? none;
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
   * anything. Resolves with the failure; resources that are then neither committed nor rolled back are left to {@link rollBackResources}.
   *
   * @param row decides about what shares its transaction with a journal. Default: the commit is final.
   */
  async commitResources(awaiter: Awaiter, row?: DecidingRow): Promise<ResourceFailure | undefined> {
    if (!this.#readOnly) return this.#resources?.commit(row);
    const [failure] = await this.rollBackResources(awaiter);
    return failure;
  }

  /** Rolls back the resources that were not committed. Resolves with what could not be. Never rejects. */
  async rollBackResources(awaiter: Awaiter): Promise<readonly ResourceFailure[]> {
    return (await this.#resources?.rollback(awaiter)) ?? none;
  }

  /** What the resources of the call share their transaction with, such as the database of a journal; undefined when one does not. */
  get sharedTransaction(): object | undefined {
    return this.#resources?.sharedTransaction;
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

  /** Ends the transaction for everyone. Resources that take part are neither committed nor rolled back by it. */
  sealAll(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#session.dispose();
    this.#files?.dispose();
    this.#resources?.seal();
  }

  /** True when handler or policies may have built something that {@link dispose} has not disposed yet. */
  get needsDisposal(): boolean {
    if (this.#disposed) return false;
    const scope = this.#scope ?? this.#policyScope ?? this.#outerScopes;
    return scope !== undefined || this.hasResources;
  }

  /** Disposes what handler and policies built, once the transaction is closed. Resolves with what went wrong. */
  async dispose(): Promise<readonly unknown[]> {
    this.#disposed = true;
    const failures = [...(await this.disposeResources())];
    for (const scope of [this.#policyScope, ...(this.#outerScopes?.values() ?? none)])
      failures.push(...((await scope?.dispose()) ?? none));
    return [...failures, ...(this.#resources?.takeFaults() ?? none)];
  }

  #openScope(
    files: () => Filesystem | undefined,
    hasEnded: boolean,
    container: ResourceContainer = this.#container,
    views: Parameters<ResourceContainer['openCallScope']>[1] = this.#resources,
  ): CallScope {
    const own = this.#files === undefined ? none : ([[Filesystem, files]] as const);
    const scope = container.openCallScope([...own, ...container.refusals], views);
    // Nothing is in it yet, so there is nothing to wait for.
    if (hasEnded) void scope.dispose();
    return scope;
  }
}

/**
 * Puts a patch on the present state: files first, since a disk may fail, then the session. Cannot fail for another reason after
 * `conflicts()` or `refusals()` was empty in the same synchronous stretch.
 *
 * @returns a function that calls the subscribers of the session.
 */
export function applyPatch(roots: TransactionRoots, { session, files }: CallPatch): Notify {
  const returned: unknown = files === undefined ? undefined : roots.filesystem?.apply(files);
  if (isPromiseLike(returned)) {
    // A function that returns a promise is assignable to one that returns nothing.
    Promise.resolve(returned).catch(() => undefined);
    throw new TypeError(
      'The apply() of the file system returned a promise. It must apply the changes synchronously.',
    );
  }
  return roots.session.applyQuietly(session);
}
