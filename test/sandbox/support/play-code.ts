import { existsSync } from 'node:fs';
import { MemoryFilesystem, promptTemplate, Session } from 'weakincentives';
import { type CodeEvaluationSectionOptions, codeEvaluationSection } from 'weakincentives/sandbox';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { deadlockMs } from '../../support/deadlock.ts';

export type Language = 'javascript' | 'python';

const hasMonty = existsSync(new URL('../../peers/sandbox/node_modules/@pydantic/monty', import.meta.url));

/** Why a language cannot be tested here; `undefined` when it can. */
export const skipReason = (language: Language): string | undefined =>
  language === 'python' && !hasMonty ? 'Monty is not installed' : undefined;

export const suiteName = (what: string, language: Language): string => {
  const reason = skipReason(language);
  return `${what} ${language}${reason === undefined ? '' : ` (skipped: ${reason})`}`;
};

/** What the calls of a run have left. */
export interface PlayedCode {
  readonly filesystem: MemoryFilesystem;
  /** What the model reads of each call. */
  readonly results: readonly string[];
}

type Calls = readonly Readonly<Record<string, unknown>>[];

/** Makes the calls of `evaluate_code` one after the other. */
export async function playCode(
  calls: Calls,
  options: CodeEvaluationSectionOptions = {},
): Promise<PlayedCode> {
  await using session = new Session();
  const limits = { timeoutMs: deadlockMs, ...options.limits };
  return await playSection(codeEvaluationSection({ ...options, limits }), calls, session);
}

/** {@link playCode}, with a section and in a session of the caller. */
export async function playSection(
  section: ReturnType<typeof codeEvaluationSection>,
  calls: Calls,
  session: Session,
): Promise<PlayedCode> {
  const filesystem = new MemoryFilesystem({
    files: { 'a.txt': 'one ü\n', nul: 'a\0b', bytes: Uint8Array.of(0xff) },
  });
  const adapter = scriptedAdapter([
    ...calls.map((args) => ({ toolCalls: [{ name: 'evaluate_code', arguments: args }] })),
    { text: 'done' },
  ]);
  const sections = [vfsToolsSection({ filesystem, policies: [] }), section];
  const prompt = promptTemplate({ ns: 'tests', key: 'evaluate', sections }).bind();
  const { conversation } = await adapter.evaluate(prompt, { session });
  const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
  return { filesystem, results };
}
