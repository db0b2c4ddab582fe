import {
  contentDigest,
  digestOf,
  type FileChange,
  type Filesystem,
  type FilesystemFork,
} from '../../core/filesystem/index.ts';
import { none, quotedList } from '../../core/internal/index.ts';
import { toBoundTool } from '../../core/prompt/index.ts';
import type { EvaluationEnvironment } from '../../core/runtime/index.ts';
import { type AnyTool, ToolResult, tool } from '../../core/tool/index.ts';
import type { HarnessFiles } from './agent-harness.ts';
import type { HarnessCalls } from './harness-calls.ts';

/** Paths that a message names. */
const maxNamed = 10;

/** What runs the calls that keep changes. */
interface FilesParts {
  /** The name of the call. No model can call it. */
  readonly name: string;
  readonly calls: Pick<HarnessCalls, 'runOwn'>;
}

/** The files of the prompt for its harness; undefined when it has none. */
export function harnessFiles(
  environment: EvaluationEnvironment,
  parts: FilesParts,
): HarnessFiles | undefined {
  const { filesystem } = environment.roots;
  if (filesystem === undefined) return undefined;
  const files = new ForkedFiles(filesystem, environment, parts);
  return Object.freeze({
    get copy() {
      return files.copy;
    },
    commit: () => files.commit(),
  });
}

/** A fork of the files of a prompt, whose changes are committed by calls. */
class ForkedFiles {
  readonly #filesystem: Filesystem;
  readonly #environment: EvaluationEnvironment;
  readonly #parts: FilesParts;
  #fork: FilesystemFork | undefined;
  /** What commits have put at paths, by its digest; undefined: they have removed what was there. */
  readonly #kept = new Map<string, string | undefined>();

  constructor(filesystem: Filesystem, environment: EvaluationEnvironment, parts: FilesParts) {
    this.#filesystem = filesystem;
    this.#environment = environment;
    this.#parts = parts;
  }

  get copy(): Filesystem {
    if (this.#fork === undefined) {
      this.#fork = this.#filesystem.fork();
      const { display } = this.#environment;
      // The call belongs to no section: the policies of the whole prompt judge it.
      const { policies } = display.rendered['~sections'].opener;
      display.addUnlisted(
        toBoundTool({ tool: this.#tool(), sectionPath: '', policies, recordingPolicies: none }),
      );
    }
    return this.#fork.view;
  }

  async commit(): Promise<string | undefined> {
    const changes = this.#changes();
    if (changes.length === 0) return undefined;
    const { calls, name } = this.#parts;
    const output = await calls.runOwn(name);
    if (output.isError) return output.text;
    for (const { path, wanted } of changes) this.#kept.set(path, wanted);
    return undefined;
  }

  #tool(): AnyTool {
    return tool({
      name: this.#parts.name,
      description: 'Keeps what the harness has changed with its own tools.',
      effects: 'state',
      execute: (_params, { filesystem }) => this.#apply(filesystem),
    });
  }

  async #apply(filesystem: Filesystem): Promise<ToolResult<null>> {
    const changes = this.#changes();
    const conflicts: string[] = [];
    for (const { base, path, wanted } of changes) {
      const present = await digestAt(filesystem, path);
      if (present !== base && present !== wanted) conflicts.push(path);
    }
    if (conflicts.length > 0) return ToolResult.error(conflictText(conflicts));
    for (const { change } of changes) await put(filesystem, change);
    for (const folder of new Set(changes.flatMap(({ change }) => change.removedWith ?? [])))
      await removeEmptied(filesystem, folder);
    return ToolResult.ok(null, `Kept what was changed: ${listed(changes.map(({ path }) => path))}.`);
  }

  /** What was changed and not kept yet. */
  #changes(): readonly PendingChange[] {
    return (this.#fork?.changes() ?? []).flatMap((change) => {
      const { path } = change;
      const wanted = digestOfSide(change, 'after');
      const base = this.#kept.has(path) ? this.#kept.get(path) : digestOfSide(change, 'before');
      return wanted === base ? [] : [{ change, path, base, wanted }];
    });
  }
}

/** A change, with what has to be at its path before and what is there after it: a digest, `directory`, or undefined for nothing. */
interface PendingChange {
  readonly change: FileChange;
  readonly path: string;
  readonly base: string | undefined;
  readonly wanted: string | undefined;
}

/** What is at the path of a change on one side of it. */
function digestOfSide(
  { after, before, entry, kind }: FileChange,
  side: 'before' | 'after',
): string | undefined {
  if (entry === 'directory') return (kind === 'created') === (side === 'after') ? 'directory' : undefined;
  const content = side === 'before' ? before : after;
  return content === undefined ? undefined : contentDigest(content);
}

async function digestAt(filesystem: Filesystem, path: string): Promise<string | undefined> {
  const stat = await filesystem.stat(path);
  if (stat === undefined || stat.kind === 'directory') return stat?.kind;
  return digestOf(await filesystem.readBytes(path));
}

async function put(filesystem: Filesystem, { after, entry, kind, path }: FileChange): Promise<void> {
  if (after !== undefined) await filesystem.write(path, after.data());
  else if (kind === 'created' && entry === 'directory') await filesystem.mkdir(path);
  else if ((await filesystem.stat(path)) !== undefined) await filesystem.remove(path);
}

/** Removes a directory that was removed with all its files, unless others have put something there. */
async function removeEmptied(filesystem: Filesystem, folder: string): Promise<void> {
  if ((await filesystem.stat(folder)) === undefined) return;
  const { paths } = await filesystem.glob('**/*', { path: folder, limit: 1 });
  if (paths.length === 0) await filesystem.remove(folder, { recursive: true });
}

function conflictText(paths: readonly string[]): string {
  return `Nothing was kept of what you changed in the working directory: ${listed(paths)} ${paths.length === 1 ? 'was' : 'were'} changed by a tool of the run in the meantime, too. Restore ${paths.length === 1 ? 'it' : 'them'} in the working directory.`;
}

function listed(paths: readonly string[]): string {
  const rest = paths.length - maxNamed;
  return rest > 0 ? `${quotedList(paths.slice(0, maxNamed))} and ${rest} more` : quotedList(paths);
}
