import { assertOptions, SandboxError } from '../../error/index.ts';
import type { ToolPolicy } from '../../policy/index.ts';
import type { Section } from '../../prompt/index.ts';
import { binding } from '../../resource/index.ts';
import { EvaluatorToken, evaluateCodeTool } from './evaluate-code.ts';
import { Evaluator } from './evaluator.ts';
import { type EvaluateLimits, resolveEvaluateLimits } from './limits.ts';
import type { EvaluationLanguage } from './protocol.ts';

/** Options of {@link evaluateSection}. */
export interface EvaluateSectionOptions {
  /** At least one. JavaScript needs the package `quickjs-emscripten`, Python `@pydantic/monty`. Default: `['javascript']`. */
  readonly languages?: readonly EvaluationLanguage[];
  /** Limits of one call; those left out keep their defaults. */
  readonly limits?: Partial<EvaluateLimits>;
  /** Default: `Code evaluation`. */
  readonly title?: string;
  /** Default: `evaluate`. */
  readonly key?: string;
  /** Rules for the tool. Default: none. */
  readonly policies?: readonly ToolPolicy[];
}

/**
 * A section with the tool `evaluate_code`: JavaScript or Python in an interpreter, in a process of the session's own. The code reads and writes
 * only the files that a call names, through the call's transaction; code that fails writes none. The process starts with the evaluation.
 *
 * @throws {SandboxError} `sandbox-option-invalid` for a bad limit or language.
 * @see docs/spec/sandboxes.md §8
 */
export function evaluateSection(options: EvaluateSectionOptions = {}): Section<Record<never, never>> {
  assertOptions('evaluateSection()', options, { languages: 'array', policies: 'array', limits: 'object' });
  const { languages = ['javascript'], title = 'Code evaluation', key = 'evaluate', policies = [] } = options;
  const known = new Set<string>(['javascript', 'python']);
  if (languages.length === 0 || languages.some((language) => !known.delete(language)))
    throw new SandboxError(
      'sandbox-option-invalid',
      `The option languages is ${JSON.stringify(languages)}; it must have "javascript", "python" or both, each once.`,
      { details: { option: 'languages' } },
    );
  const limits = resolveEvaluateLimits(options.limits);
  const { maxFileCharacters, maxOutputCharacters } = limits;
  const maxReplyBytes = 6 * (maxFileCharacters + maxOutputCharacters) + 16_777_216;
  return {
    title,
    key,
    render: () => instructions(languages, limits),
    summary: 'Code in an interpreter, for exact computations.',
    tools: [evaluateCodeTool(languages, limits)],
    policies,
    resources: [
      binding(EvaluatorToken, {
        eager: true,
        create: async ({ signal }) => {
          const evaluator = new Evaluator(languages, maxReplyBytes);
          await evaluator.start(signal);
          return evaluator;
        },
      }),
    ],
  };
}

function instructions(languages: readonly EvaluationLanguage[], { timeoutMs }: EvaluateLimits): string {
  const lines = [
    'Use `evaluate_code` to compute exactly. The value of the last expression is the result; `print` shows more.',
    'Name the files that the code reads in `reads` and those that it writes in `writes`; it reaches them with `read_text(path)` and `write_text(path, text)`. When the code fails, no file is written.',
    `Each call starts with fresh variables and has ${timeoutMs / 1000} s. There is no network, and no module of the system.`,
    ...(languages.includes('python')
      ? ['Python has no classes, `match`, `del`, `str.format` and `%` formatting here; use f-strings.']
      : []),
  ];
  return lines.map((line) => `- ${line}`).join('\n');
}
