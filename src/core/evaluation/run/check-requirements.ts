import { PromptValidationError } from '../../error/index.ts';
import { Filesystem } from '../../filesystem/index.ts';
import { quotedList } from '../../internal/index.ts';
import type { Prompt, TemplateParts } from '../../prompt/index.ts';
import { type FeedbackProvider, toCompletionChecker } from '../../runtime/index.ts';
import { type AnySlice, installedSlice } from '../../session/index.ts';
import type { CompletionChecker, CompletionRequirement } from '../../tool/index.ts';
import type { EvaluationSettings } from '../options/settings.ts';
import type { HeldScope } from '../scope/evaluation-scope.ts';

/** What requirements are held against. */
interface Available extends TemplateParts {
  readonly promptName: string;
  /** Whether there is a file system; undefined where that is not known yet. */
  readonly hasFilesystem?: boolean;
  /** Whether the session has a slice that the prompt does not bring. Default: none. */
  readonly hasSlice?: (slice: AnySlice) => boolean;
  /** Names of tools that an earlier conversation has results of. Default: none. */
  readonly earlierTools?: () => ReadonlySet<string>;
}

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

/** @throws {PromptValidationError} for what is not a checker, and for one that needs something that is missing. */
export function checkCompletion(
  completion: CompletionChecker | readonly CompletionChecker[],
  available: Available,
): void {
  const checker = toCompletionChecker(completion);
  for (const requirement of checker.requires ?? []) {
    const missing = missingFor(requirement, available);
    if (missing === undefined) continue;
    throw new PromptValidationError(
      `The completion checker "${checker.name}" needs ${missing.what}, which the prompt "${available.promptName}" does not have. ${missing.add}, or leave the checker out.`,
      { details: { option: 'completion', checker: checker.name } },
    );
  }
}

function missingFor(
  requirement: CompletionRequirement,
  { slices, toolNames, hasFilesystem, hasSlice, earlierTools }: Available,
): { readonly what: string; readonly add: string } | undefined {
  switch (requirement.kind) {
    case 'slice': {
      const { slice, broughtBy } = requirement;
      if (slices.includes(slice) || hasSlice?.(slice) === true) return undefined;
      return { what: `the slice "${slice.name}"`, add: `Add ${broughtBy} to its sections` };
    }
    case 'tool': {
      const { toolName } = requirement;
      if (toolNames.has(toolName) || earlierTools?.().has(toolName) === true) return undefined;
      const known = quotedList(toolNames) || 'none';
      return {
        what: `the tool "${toolName}"`,
        add: `Its tools are ${known}. Name one of them, add the tool to one of its sections`,
      };
    }
    case 'filesystem':
      if (hasFilesystem !== false) return undefined;
      return {
        what: 'a file system',
        add: 'Bind one, such as binding(Filesystem, { instance: new MemoryFilesystem() })',
      };
  }
}

function waitsForFilesOnly({ triggers }: FeedbackProvider): boolean {
  return triggers.everyCalls === undefined && triggers.everyMs === undefined;
}
