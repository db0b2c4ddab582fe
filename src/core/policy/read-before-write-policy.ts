import { assertOptions, FilesystemError, type OptionsOf, PromptValidationError } from '../error/index.ts';
import {
  contentDigest,
  digestOf,
  type FileChange,
  type Filesystem,
  normalizePath,
} from '../filesystem/index.ts';
import { none, present, quoteText } from '../internal/index.ts';
import type { SessionView } from '../session/index.ts';
import { PolicyDecision } from './policy-decision.ts';
import { findFact, type PolicyFact, PolicyFacts, recordFact } from './policy-state.ts';
import type {
  PolicyCall,
  PolicyChangesContext,
  PolicyContext,
  PolicyResultContext,
  ToolPolicy,
} from './tool-policy.ts';

/** Options of {@link readBeforeWritePolicy}. */
export interface ReadBeforeWritePolicyOptions {
  /** Unique in a prompt. Default `read-before-write`. */
  readonly name?: string;
  /** Tools whose success makes the file known that their path names. At least one; denials advise the first. Default `['read_file']`. */
  readonly readTools?: readonly string[];
  /** Tools that are refused before their handler runs when their path names a file that is not known. Default `['write_file', 'edit_file']`. */
  readonly writeTools?: readonly string[];
  /** Where read and write tools take their path: the first of these params that holds text. Default `['path', 'file_path']`. */
  readonly pathParams?: readonly string[];
  /**
   * The files that a call of a read or write tool names, as paths of the prompt's file system, in the place of `pathParams`: for tools that name several, or name them otherwise, such as
   * those of a mounted server that works on the same folder. Gets the validated params; an empty list for none. May throw: the call is denied, or fails.
   */
  readonly pathsOf?: (params: unknown, toolName: string) => readonly string[];
  /** Tools whose changes are not judged. What they write is known afterwards like everything else. Default: none. */
  readonly exempt?: readonly string[];
  /** Whether a file must also be known before it is removed or moved away. Default false. */
  readonly governRemoval?: boolean;
  /**
   * Whether a file that has changed since it was last read or written by a covered call must be read again. Costs one
   * pass over each content that is read or written. Default true.
   */
  readonly detectStale?: boolean;
  /** Which calls it is asked about; see `ToolPolicy`. Default: `'subtree'`. */
  readonly scope?: ToolPolicy['scope'];
}

/**
 * Requires that an existing file has been read in an earlier call before a call may overwrite, edit or replace it. New
 * files are free, and files that a call has written are known. A file that was moved or copied is known if its source was:
 * moving a file does not avoid reading it. Write tools are refused early; the files that any covered
 * tool has really changed are judged before its commit, so no tool gets around the rule. Paths are compared normalised.
 * Reading in the same call does not count.
 * @throws {PromptValidationError} when `readTools` is empty, and for `pathsOf` beside `pathParams`.
 * @see docs/spec/policies.md §7
 */
export function readBeforeWritePolicy(options: ReadBeforeWritePolicyOptions = {}): ToolPolicy {
  assertOptions('readBeforeWritePolicy()', options, {
    name: 'any',
    readTools: 'any',
    writeTools: 'any',
    pathParams: 'any',
    pathsOf: 'function',
    exempt: 'any',
    governRemoval: 'any',
    detectStale: 'any',
    scope: 'any',
  } satisfies OptionsOf<ReadBeforeWritePolicyOptions>);
  const rule = new ReadBeforeWrite(options);
  return Object.freeze({
    name: rule.name,
    ...present({ scope: options.scope }),
    slices: Object.freeze([PolicyFacts]),
    check: (call, context) => rule.check(call, context),
    checkChanges: (call, changes, context) => rule.checkChanges(call, changes, context),
    onResult: (call, _result, context) => rule.record(call, context),
  } satisfies ToolPolicy);
}

type Knowledge = 'known' | 'stale' | 'unknown';

/** A file that may not be written. */
interface Problem {
  readonly path: string;
  readonly knowledge: Knowledge;
}

class ReadBeforeWrite {
  readonly name: string;
  readonly #readTools: ReadonlySet<string>;
  readonly #writeTools: ReadonlySet<string>;
  readonly #exempt: ReadonlySet<string>;
  readonly #pathsOf: (params: unknown, toolName: string) => readonly string[];
  readonly #governsRemoval: boolean;
  readonly #detectsStale: boolean;
  /** The tool that denials advise, and the name under which files are recorded as known, whichever tool read them. */
  readonly #readTool: string;

  constructor(options: ReadBeforeWritePolicyOptions) {
    const { readTools = ['read_file'], writeTools = ['write_file', 'edit_file'] } = options;
    const [readTool] = readTools;
    if (readTool === undefined) {
      throw new PromptValidationError(
        'readBeforeWritePolicy needs at least one of readTools: without one no file could ever be written again.',
      );
    }
    const { pathParams, pathsOf } = options;
    if (pathParams !== undefined && pathsOf !== undefined) {
      throw new PromptValidationError('readBeforeWritePolicy takes pathParams or pathsOf, not both.');
    }
    this.name = options.name ?? 'read-before-write';
    this.#readTool = readTool;
    this.#readTools = new Set(readTools);
    this.#writeTools = new Set(writeTools);
    this.#exempt = new Set(options.exempt);
    this.#pathsOf = pathsOf ?? textParam([...(pathParams ?? ['path', 'file_path'])]);
    this.#governsRemoval = options.governRemoval ?? false;
    this.#detectsStale = options.detectStale ?? true;
  }

  check(call: PolicyCall, context: PolicyContext): PolicyDecision | Promise<PolicyDecision> {
    const { name } = call.tool;
    // At once: most calls are none of its business.
    return this.#writeTools.has(name) && !this.#exempt.has(name)
      ? this.#checkWrite(call, context)
      : PolicyDecision.allow();
  }

  async #checkWrite(call: PolicyCall, { session, filesystem }: PolicyContext): Promise<PolicyDecision> {
    if (filesystem === undefined) return PolicyDecision.allow();
    const problems: Problem[] = [];
    for (const path of await this.#filesOf(call, filesystem)) {
      const knowledge = await this.#knowledgeOf(session, path, () => digestAt(filesystem, path));
      if (knowledge !== 'known') problems.push({ path, knowledge });
    }
    return problems.length === 0 ? PolicyDecision.allow() : this.#denial(problems);
  }

  async checkChanges(
    call: PolicyCall,
    changes: readonly FileChange[],
    { session, innerChanges }: PolicyChangesContext,
  ): Promise<PolicyDecision> {
    if (this.#exempt.has(call.tool.name)) return PolicyDecision.allow();
    const problems: Problem[] = [];
    for (const { path, kind, entry, before } of changes) {
      const isGoverned = kind === 'modified' || (kind === 'removed' && this.#governsRemoval);
      if (!isGoverned || entry !== 'file') continue;
      // That a call inside might replace this content was judged then; since, what is known is what was written there.
      const isReplaced = (inner: FileChange): boolean =>
        inner.path === path && inner.before !== undefined && stampOf(inner.before) === stampOf(before);
      if (innerChanges.some(isReplaced)) continue;
      const knowledge = await this.#knowledgeOf(session, path, () => stampOf(before));
      if (knowledge !== 'known') problems.push({ path, knowledge });
    }
    return problems.length === 0 ? PolicyDecision.allow() : this.#denial(problems);
  }

  record(call: PolicyCall, context: PolicyResultContext): void | Promise<void> {
    const isOfInterest = context.changes.length > 0 || this.#readTools.has(call.tool.name);
    return isOfInterest ? this.#recordFiles(call, context) : undefined;
  }

  async #recordFiles(call: PolicyCall, context: PolicyResultContext): Promise<void> {
    const { session, changes } = context;
    // Looked up before anything is taken down: two files may have changed places.
    const facts: PolicyFact[] = [];
    const movedByHand = this.#movedByHand(session, changes);
    for (const change of changes) {
      const { path, kind, entry, after } = change;
      if (kind === 'removed' || entry !== 'file') continue;
      const source = change.from ?? movedByHand(change);
      const fact =
        source === undefined
          ? await this.#factOf(path, () => stampOf(after))
          : this.#inherited(session, source, path);
      if (fact !== undefined) facts.push(fact);
    }
    for (const fact of facts) recordFact(session, fact);
    const { filesystem } = context;
    if (filesystem === undefined || !this.#readTools.has(call.tool.name)) return;
    for (const path of await this.#filesOf(call, filesystem)) {
      recordFact(session, await this.#factOf(path, () => digestAt(filesystem, path)));
    }
  }

  /** What is to be taken down of a file at its new path: what was known of it before, whatever was known of that path. */
  #inherited(session: SessionView, source: string, path: string): PolicyFact | undefined {
    const known = findFact(session, this.name, this.#readTool, source);
    if (known !== undefined) return { ...known, key: path };
    const outdated = findFact(session, this.name, this.#readTool, path);
    return outdated === undefined ? undefined : { ...outdated, isForgotten: true };
  }

  /**
   * Finds the removed file whose very content a call has written elsewhere, as a program that moves files by reading and
   * writing does. Of several with that content one that is known is taken.
   */
  #movedByHand(
    session: SessionView,
    changes: readonly FileChange[],
  ): (change: FileChange) => string | undefined {
    let removed: Map<string, string> | undefined;
    return ({ kind, after }) => {
      if (kind !== 'created' || after === undefined || after.bytes === 0) return undefined;
      if (removed === undefined) {
        removed = new Map();
        const sizes = new Set(
          changes.map((change) => (change.kind === 'created' ? change.after?.bytes : undefined)),
        );
        for (const { path, kind: what, before } of changes) {
          if (what !== 'removed' || before === undefined || !sizes.has(before.bytes)) continue;
          const stamp = ifReadable(() => contentDigest(before));
          if (stamp === undefined) continue;
          const isKnown = findFact(session, this.name, this.#readTool, path) !== undefined;
          if (isKnown || !removed.has(stamp)) removed.set(stamp, path);
        }
      }
      return removed.size === 0 ? undefined : removed.get(contentDigest(after));
    };
  }

  async #factOf(path: string, stamp: () => string | Promise<string>): Promise<PolicyFact> {
    const fact = { policyName: this.name, tool: this.#readTool, key: path };
    return this.#detectsStale ? { ...fact, stamp: await stamp() } : fact;
  }

  async #knowledgeOf(
    session: SessionView,
    path: string,
    stamp: () => string | Promise<string>,
  ): Promise<Knowledge> {
    const fact = findFact(session, this.name, this.#readTool, path);
    if (fact === undefined) return 'unknown';
    if (!this.#detectsStale || fact.stamp === undefined) return 'known';
    return fact.stamp === (await stamp()) ? 'known' : 'stale';
  }

  /** The files that are there among those that the params name; without paths that the tool itself will refuse. */
  async #filesOf({ params, tool }: PolicyCall, filesystem: Filesystem): Promise<readonly string[]> {
    const files: string[] = [];
    for (const named of this.#pathsOf(params, tool.name)) {
      const path = ifReadable(() => normalizePath(named));
      if (path !== undefined && (await isFile(filesystem, path))) files.push(path);
    }
    return files;
  }

  #denial(problems: readonly Problem[]): PolicyDecision {
    const shown = problems
      .slice(0, 10)
      .map(({ path, knowledge }) =>
        knowledge === 'stale'
          ? `${quoteText(path)} has changed since it was read`
          : `${quoteText(path)} exists and has not been read`,
      );
    const rest = problems.length > 10 ? `; and ${problems.length - 10} more` : '';
    const what = problems.length === 1 ? 'it' : 'each of them';
    return PolicyDecision.deny(
      `${shown.join('; ')}${rest}. Read ${what} first with "${this.#readTool}", in a call of its own.`,
    );
  }
}

/** The first of the params that holds text. */
function textParam(names: readonly string[]): (params: unknown) => readonly string[] {
  return (params) => {
    if (typeof params !== 'object' || params === null) return none;
    for (const name of names) {
      const value: unknown = Object.hasOwn(params, name) ? Reflect.get(params, name) : undefined;
      if (typeof value === 'string') return [value];
    }
    return none;
  };
}

/** Identifies a content; one that is not there counts as empty. */
function stampOf(content: FileChange['after']): string {
  return content === undefined ? digestOf(new Uint8Array()) : contentDigest(content);
}

/** Undefined for what cannot be read: a path that is none, a link that leads nowhere, a file that is too large. */
function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (FilesystemError.isInstance(error)) return undefined;
    throw error;
  }
}

async function digestAt(filesystem: Filesystem, path: string): Promise<string> {
  return filesystem.digest === undefined
    ? digestOf(await filesystem.readBytes(path))
    : filesystem.digest(path);
}

async function isFile(filesystem: Filesystem, path: string): Promise<boolean> {
  return (await filesystem.stat(path))?.kind === 'file';
}
