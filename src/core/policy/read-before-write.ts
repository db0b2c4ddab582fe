import { FilesystemError, PromptValidationError } from '../error/index.ts';
import {
  type ContentRead,
  contentDigest,
  digestOf,
  type FileChange,
  type FileContent,
  type Filesystem,
  joinRanges,
  normalizePath,
} from '../filesystem/index.ts';
import { none, present, quoteText } from '../internal/index.ts';
import type { SessionView } from '../session/index.ts';
import type { AnyTool } from '../tool/index.ts';
import { describeParts, type KnownText, knownAfter, knownOf, unknownParts } from './known-text.ts';
import { PolicyDecision } from './policy-decision.ts';
import { findFact, type PolicyFact, recordFact } from './policy-state.ts';
import type { ReadBeforeWritePolicyOptions } from './read-before-write-options.ts';
import type { PolicyCall, PolicyChangesContext, PolicyContext, PolicyResultContext } from './tool-policy.ts';

/** Why a file may not be written: nothing of it is known, it has changed since, or these parts of it, which would be replaced, were not read. */
type Reason = 'unknown' | 'stale' | { readonly unread: string };

/** A file that may not be written. */
interface Problem {
  readonly path: string;
  readonly reason: Reason;
}

/** The rule of `readBeforeWritePolicy()`. */
export class ReadBeforeWrite {
  readonly name: string;
  readonly #readTools: ReadonlySet<string>;
  readonly #searchTools: ReadonlySet<string>;
  readonly #writeTools: ReadonlySet<string>;
  readonly #exempt: ReadonlySet<string>;
  readonly #pathsOf: (params: unknown, tool: AnyTool) => readonly string[];
  readonly #governsRemoval: boolean;
  readonly #detectsStale: boolean;
  readonly #keepsParts: boolean;
  /** The tool that denials advise, and the name under which files are recorded as known, whichever tool read them. */
  readonly #readTool: string;

  constructor(options: ReadBeforeWritePolicyOptions) {
    const { readTools = ['read_file'], writeTools = ['write_file', 'edit_file', 'apply_patch'] } = options;
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
    this.#searchTools = new Set(options.searchTools ?? ['grep']);
    this.#writeTools = new Set(writeTools);
    this.#exempt = new Set(options.exempt);
    const ofText = textParam([...(pathParams ?? ['path', 'file_path'])]);
    if (pathsOf !== undefined) this.#pathsOf = (params, { name }) => pathsOf(params, name);
    else if (pathParams !== undefined) this.#pathsOf = ofText;
    else this.#pathsOf = (params, tool) => tool['~files']?.replaces?.(params) ?? ofText(params);
    this.#governsRemoval = options.governRemoval ?? false;
    this.#detectsStale = options.detectStale ?? true;
    this.#keepsParts = options.allowPartialReads !== true;
  }

  check(call: PolicyCall, context: PolicyContext): PolicyDecision | Promise<PolicyDecision> {
    const { name } = call.tool;
    // At once: it has nothing to decide for most calls.
    return this.#writeTools.has(name) && !this.#exempt.has(name)
      ? this.#checkWrite(call, context)
      : PolicyDecision.allow();
  }

  async #checkWrite(call: PolicyCall, { session, filesystem }: PolicyContext): Promise<PolicyDecision> {
    if (filesystem === undefined) return PolicyDecision.allow();
    const problems: Problem[] = [];
    for (const path of await this.#filesOf(call, filesystem)) {
      const fact = findFact(session, this.name, this.#readTool, path);
      const reason = await this.#reasonOf(fact, () => digestAt(filesystem, path));
      if (reason !== undefined) problems.push({ path, reason });
    }
    return this.#decide(problems);
  }

  async checkChanges(
    call: PolicyCall,
    changes: readonly FileChange[],
    { session, innerChanges }: PolicyChangesContext,
  ): Promise<PolicyDecision> {
    if (this.#exempt.has(call.tool.name)) return PolicyDecision.allow();
    const problems: Problem[] = [];
    const moved = this.#governsRemoval ? this.#movedAway(session, changes) : undefined;
    for (const { path, kind, entry, before, after } of changes) {
      const isGoverned = kind === 'modified' || (kind === 'removed' && this.#governsRemoval);
      if (!isGoverned || entry !== 'file') continue;
      const fact = findFact(session, this.name, this.#readTool, path);
      const base = contentBefore(path, before, innerChanges);
      // Nothing is lost of a file that is elsewhere now.
      const becomes = moved?.has(path) === true && kind === 'removed' ? base : after;
      const reason = (await this.#reasonOf(fact, () => stampOf(base))) ?? this.#unreadOf(fact, base, becomes);
      if (reason !== undefined) problems.push({ path, reason });
    }
    return this.#decide(problems);
  }

  record(call: PolicyCall, context: PolicyResultContext): void | Promise<void> {
    const { name } = call.tool;
    const isOfInterest =
      context.changes.length > 0 || this.#readTools.has(name) || this.#searchTools.has(name);
    return isOfInterest ? this.#recordFiles(call, context) : undefined;
  }

  async #recordFiles(call: PolicyCall, context: PolicyResultContext): Promise<void> {
    // What was read first: what becomes of it depends on the changes.
    if (context.filesystem !== undefined) await this.#recordReads(call, context, context.filesystem);
    const { session, changes, innerChanges } = context;
    const isExempt = this.#exempt.has(call.tool.name);
    // Looked up before anything is taken down: two files may have changed places.
    const facts: PolicyFact[] = [];
    const movedByHand = this.#movedByHand(session, changes);
    for (const change of changes) {
      const { path, kind, entry, before, after } = change;
      if (kind === 'removed' || entry !== 'file') continue;
      const source = change.from ?? movedByHand(change);
      if (source !== undefined) {
        const fact = this.#inherited(session, source, path);
        if (fact !== undefined) facts.push(fact);
        continue;
      }
      const known =
        kind === 'created' || isExempt
          ? undefined
          : this.#knownAfter(session, path, contentBefore(path, before, innerChanges), after);
      facts.push(await this.#factOf(path, known, () => stampOf(after)));
    }
    for (const fact of facts) recordFact(session, fact);
  }

  /** What is known of a file that a call has changed. */
  #knownAfter(
    session: SessionView,
    path: string,
    before: FileContent | undefined,
    after: FileContent | undefined,
  ): KnownText {
    if (!this.#keepsParts || before === undefined || after === undefined) return undefined;
    const ranges = findFact(session, this.name, this.#readTool, path)?.ranges;
    return ranges === undefined ? undefined : knownAfter(ranges, before, after);
  }

  async #recordReads(
    call: PolicyCall,
    { session, changes, '~contentReads': reads }: PolicyResultContext,
    filesystem: Filesystem,
  ): Promise<void> {
    const isSearch = this.#searchTools.has(call.tool.name);
    const isRead = this.#readTools.has(call.tool.name);
    if (!isSearch && !isRead) return;
    const named = isRead ? await this.#filesOf(call, filesystem) : none;
    const changed = new Map(changes.map((change) => [change.path, change]));
    const byPath = new Map<string, ContentRead[]>();
    for (const read of reads ?? none) {
      if (!isSearch && !named.includes(read.path)) continue;
      byPath.set(read.path, [...(byPath.get(read.path) ?? []), read]);
    }
    for (const [path, contents] of byPath) {
      for (const read of contents) {
        if (read.ranges?.length === 0) continue;
        // What the call itself wrote and read again is known from its changes.
        const { before } = changed.get(path) ?? {};
        const isOwn =
          changed.has(path) && (before === undefined || stampOf(before) !== contentDigest(read.content));
        if (!isOwn) await this.#addKnown(session, read);
      }
    }
    for (const path of named) {
      if (byPath.has(path)) continue;
      // Read past the files of the call: what was shown is not known.
      recordFact(session, await this.#factOf(path, undefined, () => digestAt(filesystem, path)));
    }
  }

  /** Adds parts to what is known of a content; of another content nothing counts. A file that is read whole is taken down without looking at what is known. */
  async #addKnown(session: SessionView, { path, content, ranges, length }: ContentRead): Promise<void> {
    const stamp = (): string => contentDigest(content);
    let known = ranges === undefined || !this.#keepsParts ? undefined : knownOf(ranges, length);
    if (known !== undefined) {
      const fact = findFact(session, this.name, this.#readTool, path);
      const isSame =
        fact !== undefined && (!this.#detectsStale || fact.stamp === undefined || fact.stamp === stamp());
      if (isSame)
        known = fact.ranges === undefined ? undefined : knownOf(joinRanges(known, fact.ranges), length);
    }
    recordFact(session, await this.#factOf(path, known, stamp));
  }

  /** What is to be taken down of a file at its new path: what was known of it before, whatever was known of that path. */
  #inherited(session: SessionView, source: string, path: string): PolicyFact | undefined {
    const known = findFact(session, this.name, this.#readTool, source);
    if (known !== undefined) return { ...known, key: path };
    const outdated = findFact(session, this.name, this.#readTool, path);
    return outdated === undefined ? undefined : { ...outdated, isForgotten: true };
  }

  /** The files that are elsewhere now. */
  #movedAway(session: SessionView, changes: readonly FileChange[]): ReadonlySet<string | undefined> {
    const movedByHand = this.#movedByHand(session, changes);
    return new Set(changes.map((change) => change.from ?? movedByHand(change)));
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

  async #factOf(path: string, ranges: KnownText, stamp: () => string | Promise<string>): Promise<PolicyFact> {
    const fact = { policyName: this.name, tool: this.#readTool, key: path, ...present({ ranges }) };
    return this.#detectsStale ? { ...fact, stamp: await stamp() } : fact;
  }

  /** Why a file may not be written at all; undefined when something of its content is known. */
  async #reasonOf(
    fact: PolicyFact | undefined,
    stamp: () => string | Promise<string>,
  ): Promise<Reason | undefined> {
    if (fact === undefined) return 'unknown';
    if (!this.#detectsStale || fact.stamp === undefined) return undefined;
    return fact.stamp === (await stamp()) ? undefined : 'stale';
  }

  /** The parts that a change would replace and that are not known, as a denial names them. */
  #unreadOf(
    fact: PolicyFact | undefined,
    before: FileContent | undefined,
    after: FileContent | undefined,
  ): Reason | undefined {
    if (fact?.ranges === undefined || !this.#keepsParts || before === undefined || before === after)
      return undefined;
    const unread = unknownParts(fact.ranges, before, after);
    return unread.length === 0 ? undefined : { unread: describeParts(unread, before.text() ?? '') };
  }

  /** The files that are there among those that the params name, where links lead; without paths that the tool itself will refuse. */
  async #filesOf({ params, tool }: PolicyCall, filesystem: Filesystem): Promise<readonly string[]> {
    const files: string[] = [];
    for (const named of this.#pathsOf(params, tool)) {
      const path = ifReadable(() => normalizePath(named));
      if (path === undefined) continue;
      const found = await filesystem.stat(path);
      if (found?.kind === 'file') files.push(found.path);
    }
    return files;
  }

  #decide(problems: readonly Problem[]): PolicyDecision {
    if (problems.length === 0) return PolicyDecision.allow();
    const shown = problems.slice(0, 10).map(({ path, reason }) => {
      const file = quoteText(path);
      if (reason === 'stale') return `${file} has changed since it was read`;
      if (reason === 'unknown') return `${file} exists and has not been read`;
      return `${file} was read in part, and this call would replace what was not read: ${reason.unread}`;
    });
    const rest = problems.length > 10 ? `; and ${problems.length - 10} more` : '';
    const isPart = problems.every(({ reason }) => typeof reason === 'object');
    const what = isPart ? 'that' : problems.length === 1 ? 'it' : 'each of them';
    const otherwise = isPart ? ', or change only what was read' : '';
    return PolicyDecision.deny(
      `${shown.join('; ')}${rest}. Read ${what} first with "${this.#readTool}", in a call of its own${otherwise}.`,
    );
  }
}

/**
 * The content that a call has replaced, as far as it is to be judged: what a call inside has made of the file was judged then, and since, what is known is known
 * of that.
 */
function contentBefore(
  path: string,
  before: FileContent | undefined,
  innerChanges: readonly FileChange[],
): FileContent | undefined {
  const inner = innerChanges.filter((change) => change.path === path);
  const isJudged = inner.some(
    (change) => change.before !== undefined && stampOf(change.before) === stampOf(before),
  );
  return (isJudged ? inner.at(-1)?.after : undefined) ?? before;
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

/** Undefined for what cannot be read: an invalid path, a link that leads nowhere, a file that is too large. */
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
