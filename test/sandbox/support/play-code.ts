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

/** Makes the calls of `evaluate_code` one after the other, and returns what the model reads. */
export async function playCode(
  calls: readonly Readonly<Record<string, unknown>>[],
  options: CodeEvaluationSectionOptions = {},
): Promise<{ readonly filesystem: MemoryFilesystem; readonly results: readonly string[] }> {
  const filesystem = new MemoryFilesystem({
    files: { 'a.txt': 'one ü\n', nul: 'a\0b', bytes: Uint8Array.of(0xff) },
  });
  await using session = new Session();
  const adapter = scriptedAdapter([
    ...calls.map((args) => ({ toolCalls: [{ name: 'evaluate_code', arguments: args }] })),
    { text: 'done' },
  ]);
  const sections = [
    vfsToolsSection({ filesystem, policies: [] }),
    codeEvaluationSection({ ...options, limits: { timeoutMs: deadlockMs, ...options.limits } }),
  ];
  const prompt = promptTemplate({ ns: 'tests', key: 'evaluate', sections }).bind();
  const { conversation } = await adapter.evaluate(prompt, { session });
  const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
  return { filesystem, results };
}
