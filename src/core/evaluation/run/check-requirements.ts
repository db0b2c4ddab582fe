import { PromptValidationError } from '../../error/index.ts';
import { Filesystem } from '../../filesystem/index.ts';
import type { Prompt } from '../../prompt/index.ts';
import type { FeedbackProvider } from '../../runtime/index.ts';
import { installedSlice } from '../../session/index.ts';
import type { EvaluationSettings } from '../options/settings.ts';
import type { HeldScope } from '../scope/evaluation-scope.ts';
import { checkCompletion } from './check-completion.ts';

/**
 * Refuses what could never have an effect in this evaluation, before it begins: a tool with `once` where no ledger knows what was done, a completion checker that needs something the prompt does
 * not have, and a feedback provider that waits for files where there is no file system.
 *
 * @throws {PromptValidationError} naming what is missing, and what to add.
 */
export function checkRequirements(
  scope: Pick<HeldScope, 'session' | 'outer' | 'hooks' | 'earlier'>,
  prompt: Prompt,
  { loop: { completion }, feedback, history }: EvaluationSettings,
): void {
  const { session, outer } = scope;
  if (prompt['~onceTool'] !== undefined) checkLedger(prompt['~onceTool'], prompt.name, scope);
  if (completion === undefined && feedback.length === 0) return;
  const hasFilesystem = outer?.call.filesystem !== undefined || prompt.resources().has(Filesystem);
  if (completion !== undefined) {
    checkCompletion(completion.checker, {
      promptName: prompt.name,
      slices: prompt.slices(),
      toolNames: prompt['~toolNames'],
      hasFilesystem,
      hasSlice: (slice) => installedSlice(session, slice) !== undefined,
      earlierTools: () =>
        new Set(history.flatMap((item) => (item.type === 'tool-result' ? [item.toolName] : []))),
    });
  }
  // Those of the outer run are inherited; they were checked there.
  if (outer !== undefined || hasFilesystem) return;
  const idle = feedback.find(waitsForFilesOnly);
  if (idle === undefined) return;
  throw new PromptValidationError(
    `The feedback provider "${idle.name}" is never due: it waits for files, and the prompt "${prompt.name}" binds no file system. ` +
      'Bind one, such as binding(Filesystem, { instance: new MemoryFilesystem() }), or give the provider everyCalls or everyMs.',
    { details: { option: 'feedback', provider: idle.name } },
  );
}

/** @throws {PromptValidationError} where no ledger knows what was done. */
function checkLedger(
  tool: string,
  promptName: string,
  { hooks, earlier }: Pick<HeldScope, 'hooks' | 'earlier'>,
): void {
  // Where a record is compared with, no handler of such a tool runs.
  const isCompared = hooks === undefined && earlier !== undefined;
  if (isCompared || hooks?.once !== undefined) return;
  throw new PromptValidationError(
    `The tool "${tool}" of the prompt "${promptName}" has the option once, which needs a journal with a ledger of what was done. Pass the option journal, such as sqliteJournal(), or leave out once.`,
    { details: { tool, option: 'journal' } },
  );
}

function waitsForFilesOnly({ triggers }: FeedbackProvider): boolean {
  return triggers.everyCalls === undefined && triggers.everyMs === undefined;
}
