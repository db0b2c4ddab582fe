import { PromptValidationError } from '../../error/index.ts';
import { quotedList } from '../../internal/index.ts';
import type { TemplateParts } from '../../prompt/index.ts';
import { toCompletionChecker } from '../../runtime/index.ts';
import type { AnySlice } from '../../session/index.ts';
import type { CompletionChecker, CompletionRequirement } from '../../tool/index.ts';

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
