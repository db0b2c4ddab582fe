import { assertOptions, type OptionsOf, someOf, withDefaults } from '../../../core/error/index.ts';
import type { ToolPolicy } from '../../../core/policy/index.ts';
import type { Section, VisibilitySelector } from '../../../core/prompt/index.ts';
import { binding } from '../../../core/resource/index.ts';
import { refuseOption } from '../backend/errors.ts';
import { EvaluatorToken, evaluateCodeTool } from './evaluate-code.ts';
import { Evaluator, evaluatorProcess } from './evaluator.ts';
import { type CodeEvaluationLimits, evaluateLimitChecks } from './limits.ts';
import type { CodeEvaluationLanguage } from './protocol.ts';

/** Options of {@link codeEvaluationSection}. */
export interface CodeEvaluationSectionOptions {
  /**
   * What code can be written in; at least one, each once. JavaScript needs the package `quickjs-emscripten`, Python `@pydantic/monty`.
   * With both, each call names its language. Default: `['javascript']`.
   */
  readonly languages?: readonly CodeEvaluationLanguage[];
  /** Default: `Code Evaluation`. */
  readonly title?: string;
  /** Default: `evaluate`. */
  readonly key?: string;
  /** Limits of one call; those left out keep their defaults. */
  readonly limits?: Partial<CodeEvaluationLimits>;
  /** Rules for the tool. They judge the files that code writes before the commit like those of any call. Default: none. */
  readonly policies?: readonly ToolPolicy[];
  /** How much of the section the model sees. Default: `'full'`. A summary is provided. */
  readonly visibility?: VisibilitySelector<Record<never, never>>;
}

const evaluationChecks: OptionsOf<CodeEvaluationSectionOptions> = {
  key: 'string',
  title: 'string',
  visibility: 'any',
  languages: someOf(['javascript', 'python']),
  policies: 'array',
  limits: evaluateLimitChecks,
};

const sectionSummary = 'Code in an interpreter, for exact computations.';

/**
 * A section with the tool `evaluate_code`: JavaScript or Python in an interpreter, in a process that the session has for it.
 *
 * Code gets the inputs and the files that a call names, and nothing else of the machine. It reads and writes files through the call's
 * transaction: policies check what it has written, and it is committed, or rolled back, with the call. Code that fails, times out or
 * crashes writes nothing. Without a bound `Filesystem`, code computes, and calls that name files fail.
 *
 * The process starts with the evaluation, which fails with `sandbox-unavailable` when a package is missing or does not work. It ends with the session.
 * The tool has the effects `'state'`.
 *
 * @throws {SandboxError} `sandbox-option-invalid` for a bad limit or language.
 * @see docs/spec/sandboxes.md §8
 */
export function codeEvaluationSection(
  options: CodeEvaluationSectionOptions = {},
): Section<Record<never, never>> {
  assertOptions('codeEvaluationSection()', options, evaluationChecks, refuseOption());
  const { title = 'Code Evaluation', key = 'evaluate', policies = [], languages = ['javascript'] } = options;
  const limits = withDefaults(evaluateLimitChecks, options.limits);
  return {
    title,
    key,
    render: () => evaluateInstructions(languages, limits),
    summary: sectionSummary,
    visibility: options.visibility ?? 'full',
    tools: [evaluateCodeTool(languages, limits)],
    policies,
    resources: [
      binding(EvaluatorToken, {
        eager: true,
        create: async ({ signal }) => {
          const evaluator = new Evaluator({
            languages,
            open: () => evaluatorProcess(languages, maxReplyBytes(limits)),
          });
          try {
            await evaluator.start(signal);
          } catch (error) {
            await evaluator[Symbol.asyncDispose]();
            throw error;
          }
          return evaluator;
        },
      }),
    ],
  };
}

/** The longest reply that a call can have. A byte of a text takes at most six in JSON. */
function maxReplyBytes({ maxTotalFileBytes, maxOutputBytes, maxFiles }: CodeEvaluationLimits): number {
  return 6 * (maxTotalFileBytes + 3 * maxOutputBytes + 4000 * maxFiles) + 4096;
}

/** What the model reads about the tool. */
export function evaluateInstructions(
  languages: readonly CodeEvaluationLanguage[],
  { timeoutMs }: CodeEvaluationLimits,
): string {
  const lines = [
    'Use `evaluate_code` to compute exactly. The value of the last expression is the result; `print` shows more.',
    'Name the files that the code reads in `reads` and those that it writes in `writes`. It reads with `read_text(path)` and writes whole files with `write_text(path, text)`, by the paths as you named them. When the code fails, no file is written.',
    `Each call starts with fresh variables and has ${timeoutMs / 1000} s. There is no network, no host file and no installed package.`,
    ...(languages.includes('javascript') ? [javascriptText] : []),
    ...(languages.includes('python') ? [pythonText] : []),
  ];
  return lines.map((line) => `- ${line}`).join('\n');
}

const javascriptText =
  'JavaScript is the language alone, with `await`: no `require`, no `import`, no `fetch`, no timers.';
const pythonText =
  'Python is a subset: no `class`, `match`, `del`, `yield`, no `str.format` and no `%` formatting (use f-strings, without `,` as a separator), decorators have no effect. There are `math`, `json`, `re` and `datetime`; no `statistics`, `random`, `itertools`, `collections` or `numpy`.';
