import { readFile } from 'node:fs/promises';
import { present } from '../../core/internal/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import { canonicalJson, type JsonValue } from '../../core/schema/index.ts';
import { sha256 } from '../../record/index.ts';
import type { ServedCode, ServeTask } from '../commands/serve.ts';

/** The files that say what is served, by their names in a task. */
export const codeFiles = ['agent', 'policyFile', 'mcpFile'] as const;

/** Hashes of what is served, as far as it is known: code that the files import is not among it, and functions cannot be compared. */
export async function servedCode(
  task: Pick<ServeTask, (typeof codeFiles)[number]>,
  prompt: Pick<Prompt, '~hash'>,
): Promise<ServedCode> {
  const [agent, policyFile, mcpFile] = await Promise.all(codeFiles.map((name) => fileHash(task[name])));
  return { prompt: prompt['~hash'](), ...present({ agent, policyFile, mcpFile }) };
}

/** SHA-256 of the content of a file, in hexadecimal; undefined where there is none that can be read. */
export async function fileHash(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return sha256(await readFile(path));
  } catch {
    return undefined;
  }
}

/**
 * Whose questions the calls of a server ask: an answer counts for the same call in each server that is started so.
 *
 * @param workspace real path of the folder; undefined: the agent works on none.
 */
export function questionScope(
  agentName: string,
  workspace: string | undefined,
  task: ServeTask,
  code: ServedCode,
): string {
  return canonicalJson([workspace ?? null, agentName, whatDecides(task), JSON.stringify(code)]);
}

/** What of a task a call depends on: not the texts of overrides, which are compared where the tools have them. */
export function whatDecides({
  agent,
  apply,
  mcpFile,
  params,
  policyFile,
  sandbox,
}: Omit<ServeTask, 'workspace' | 'overrides'>): JsonValue {
  // What was read from a command line is JSON, but for members that are undefined.
  return JSON.parse(JSON.stringify({ agent, apply, mcpFile, params, policyFile, sandbox })) as JsonValue;
}
