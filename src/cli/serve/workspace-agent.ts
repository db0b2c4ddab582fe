import { describeError } from '../../core/error/index.ts';
import { type AnyAgent, defineAgent } from '../../core/evaluation/index.ts';
import { Filesystem } from '../../core/filesystem/index.ts';
import type { ToolPolicy } from '../../core/policy/index.ts';
import { type AnySection, promptTemplate, section } from '../../core/prompt/index.ts';
import { binding } from '../../core/resource/index.ts';
import { openToolRuntime } from '../../durable/index.ts';
import { gitSection } from '../../host/index.ts';
import { vfsToolsSection } from '../../suite/vfs/index.ts';
import { makeSandbox } from '../agent/sandbox-bindings.ts';
import type { OpenedFolder } from '../folder/open-folder.ts';
import type { SandboxChoice } from '../options/option-values.ts';
import { orUsageError, reasonOf } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

const instructions = `These tools work on the files of one folder. Every call is a transaction: a call that fails changes nothing, and the message says why.
A file that exists must be read before it is written or edited, and again when others have changed it since. Paths are relative to the root of the folder.`;

/** What the tools for a folder are made of. */
export interface WorkspaceAgentOptions {
  readonly folder: OpenedFolder;
  /** Undefined: no shell. */
  readonly sandbox: SandboxChoice | undefined;
  /** Rules beside "read before write". */
  readonly policies: readonly ToolPolicy[];
}

/** The agent that is served for a folder without one, and what is to be said of it, one line each. */
export interface WorkspaceAgent {
  readonly agent: AnyAgent;
  readonly notes: readonly string[];
}

/**
 * Makes the tools for a folder: files, search, the history of its repository, and a shell in a sandbox.
 *
 * @throws {UsageError} for rules that do not fit together, and a sandbox that refuses its options.
 */
export async function workspaceAgent({
  folder,
  policies,
  sandbox,
}: WorkspaceAgentOptions): Promise<WorkspaceAgent> {
  const git = await gitOf(folder);
  const sections: AnySection[] = [
    section({ title: 'Workspace', key: 'workspace', template: instructions }),
    vfsToolsSection({ title: 'Files', key: 'files' }),
    ...(git.section === undefined ? [] : [git.section]),
  ];
  if (sandbox !== undefined) {
    const sandboxes = await import('../../host/sandbox/index.ts');
    sections.push(sandboxes.shellSection({ backend: makeSandbox(sandbox, sandboxes) }));
  }
  const template = orUsageError(
    () => promptTemplate({ ns: 'weakincentives', key: 'workspace', sections, policies }),
    (error) => `the rules cannot be used: ${printable(describeError(error))}`,
  );
  const agent = defineAgent({ template, name: 'workspace', description: 'The files of a folder.' });
  return { agent, notes: git.notes };
}

/** The history of a folder that is the root of a repository, when git can read it. */
async function gitOf({ filesystem }: OpenedFolder): Promise<{
  readonly section: AnySection | undefined;
  readonly notes: readonly string[];
}> {
  const history = gitSection();
  const prompt = promptTemplate({ ns: 'weakincentives', key: 'git', sections: [history] }).bind(
    {},
    { resources: [binding(Filesystem, { instance: filesystem })] },
  );
  try {
    await using _runtime = await openToolRuntime(prompt);
    return { section: history, notes: [] };
  } catch (error) {
    const why = reasonOf(innermost(error));
    return { section: undefined, notes: [`there are no tools for the history: ${why}`] };
  }
}

/** What was wrong in the first place. */
function innermost(error: unknown): unknown {
  let found = error;
  while (found instanceof Error && found.cause instanceof Error) found = found.cause;
  return found;
}
