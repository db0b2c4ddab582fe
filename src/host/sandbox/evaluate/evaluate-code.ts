import { FilesystemError, SandboxError } from '../../../core/error/index.ts';
import { Filesystem, normalizePath } from '../../../core/filesystem/index.ts';
import { present } from '../../../core/internal/index.ts';
import { type NamedResourceToken, resourceToken } from '../../../core/resource/index.ts';
import {
  described,
  list,
  optional,
  type RecordOf,
  record,
  recordSchema,
  text,
} from '../../../core/schema/index.ts';
import {
  type AnyTool,
  type ToolContext,
  type ToolExample,
  ToolResult,
  tool,
} from '../../../core/tool/index.ts';
import { describeOutput } from '../shell/shell-report.ts';
import type { Evaluator } from './evaluator.ts';
import type { CodeEvaluationLimits } from './limits.ts';
import type { CodeEvaluationLanguage, EvaluationReply } from './protocol.ts';

/** The process of the session. */
export const EvaluatorToken: NamedResourceToken<Evaluator> = resourceToken<Evaluator>('code-evaluator');

const reservedNames: readonly string[] = [
  'files',
  'read_text',
  'write_text',
  'print',
  'console',
  'globalThis',
];

/** The parser of Monty overflows its stack above 100,000. */
const maxCodeCharacters = 8000;

const languageNames = { javascript: 'JavaScript', python: 'Python' } as const;
const codeExamples = {
  javascript: {
    code: "const rows = read_text('sales.csv').trim().split('\\n').map(Number); rows.reduce((a, b) => a + b, tax)",
  },
  python: { code: "sum(float(line) for line in read_text('sales.csv').splitlines()) + tax" },
} as const satisfies Readonly<Record<CodeEvaluationLanguage, object>>;

/** The tool `evaluate_code`. */
export function evaluateCodeTool(
  languages: readonly CodeEvaluationLanguage[],
  limits: CodeEvaluationLimits,
): AnyTool {
  return tool({
    name: 'evaluate_code',
    description: `Run ${languages.map((language) => languageNames[language]).join(' or ')} code in an interpreter without network. Returns the value of its last expression and what it printed.`,
    inputSchema: recordSchema(paramsOf(languages, limits)),
    outputSchema: recordSchema(output),
    effects: 'state',
    // The code repeats them.
    '~files': { arguments: { reads: 'name', writes: 'name' } },
    examples: examplesFor(languages),
    render: () => '',
    execute: (params, context) => execute(params, context, languages, limits),
  });
}

type Params = ReturnType<typeof paramsOf>;

function paramsOf(languages: readonly CodeEvaluationLanguage[], limits: CodeEvaluationLimits) {
  const paths = list(described(text, { minLength: 1, maxLength: 1000 }), { maxItems: limits.maxFiles });
  const input = record({
    name: described(text, { pattern: '^[A-Za-z_][A-Za-z0-9_]*$', maxLength: 100 }),
    json: described(text, { description: 'The value as JSON text.' }),
  });
  return {
    ...present({
      language: languages.length > 1 ? described(text, { enum: [...languages] }) : undefined,
    }),
    code: described(text, { minLength: 1, maxLength: maxCodeCharacters }),
    inputs: optional(list(input, { maxItems: 100 }), { description: 'Global variables of the code.' }),
    reads: optional(paths, {
      description: 'Text files that the code reads, with read_text(path) or as files[path].',
    }),
    writes: optional(paths, { description: 'Files that the code may write with write_text(path, text).' }),
  };
}

const output = {
  /** JSON text, or a description when `value_kind` is `text`; empty when it is `none`. */
  value: text,
  /** `text`: JSON cannot represent the value. `none`: the code has no value. */
  value_kind: described(text, { enum: ['json', 'text', 'none'] }),
  /** The beginning and the end; a line in between says how much is missing. */
  stdout: text,
  /** The same for what the code printed as errors. */
  stderr: text,
  /** The paths written. */
  writes: list(text),
};

/** What the code returned, printed and wrote. */
type EvaluateCodeResult = RecordOf<typeof output>;

function examplesFor(
  languages: readonly CodeEvaluationLanguage[],
): readonly ToolExample<RecordOf<Params>, EvaluateCodeResult>[] {
  const [first = 'javascript'] = languages;
  const { code } = codeExamples[first];
  return [
    {
      description: 'Compute with an input and a file.',
      input: {
        ...present({ language: languages.length > 1 ? first : undefined }),
        code,
        inputs: [{ name: 'tax', json: '1.5' }],
        reads: ['sales.csv'],
      },
      output: { value: '101.5', value_kind: 'json', stdout: '', stderr: '', writes: [] },
    },
  ];
}

async function execute(
  params: RecordOf<Params>,
  context: ToolContext,
  languages: readonly CodeEvaluationLanguage[],
  limits: CodeEvaluationLimits,
): Promise<ToolResult<EvaluateCodeResult>> {
  const { code, inputs = [], reads = [], writes = [] } = params;
  const [first = 'javascript'] = languages;
  const language = languages.find((each) => each === params.language) ?? first;
  const { timeoutMs, maxMemoryBytes, maxOutputBytes, maxTotalFileBytes } = limits;
  if (code.includes('\0')) return refusal('The code has a NUL character.');
  try {
    const values = readInputs(inputs);
    if (typeof values === 'string') return refusal(values);
    if (reads.length + writes.length > 0 && !context.resources.has(Filesystem))
      return refusal('There are no files here: leave "reads" and "writes" out.');
    const files = await readTexts(reads, context, maxTotalFileBytes);
    if (typeof files === 'string') return refusal(files);
    for (const path of writes) normalizePath(path);
    const evaluator = await context.resources.get(EvaluatorToken);
    const outcome = await evaluator.run(
      {
        language,
        code,
        inputs: values,
        files,
        writes,
        timeoutMs,
        maxMemoryBytes,
        maxOutputBytes,
        maxTotalFileBytes,
      },
      context.signal,
    );
    if (outcome.kind !== 'reply')
      return refusal(
        outcome.kind === 'timeout'
          ? `The code did not end within ${timeoutMs / 1000} s and was killed.`
          : 'The interpreter crashed or ran out of memory.',
      );
    const { reply } = outcome;
    const printed = describeOutput(reply.stdout, reply.stderr);
    if (reply.failed) return ToolResult.error([`The code failed. ${nothingWritten}`, ...printed].join('\n'));
    if (reply.writes.some(([path]) => !writes.includes(path)))
      return refusal('The code wrote a file that is not in "writes".');
    for (const [path, content] of reply.writes) await context.filesystem.write(path, content);
    return success(reply, printed);
  } catch (error) {
    // What the files or the machine do not allow is for the model to read; an abort is not.
    if (FilesystemError.isInstance(error) || SandboxError.isInstance(error)) return refusal(error.message);
    throw error;
  }
}

const nothingWritten = 'No file was written.';

function refusal(message: string): ToolResult<EvaluateCodeResult> {
  return ToolResult.error(`${message} ${nothingWritten}`);
}

/** The values of the inputs, or what is wrong with them. */
function readInputs(
  inputs: readonly { readonly name: string; readonly json: string }[],
): readonly (readonly [string, unknown])[] | string {
  const values = new Map<string, unknown>();
  for (const { name, json } of inputs) {
    if (reservedNames.includes(name)) return `The name "${name}" is taken. Choose another for the input.`;
    if (values.has(name)) return `There are two inputs with the name "${name}".`;
    try {
      values.set(name, JSON.parse(json));
    } catch {
      return `The input "${name}" is not JSON text. A string needs quotes of its own.`;
    }
  }
  return [...values];
}

/** The contents of the files, or what is wrong with them. */
async function readTexts(
  reads: readonly string[],
  context: ToolContext,
  maxTotalBytes: number,
): Promise<readonly (readonly [string, string])[] | string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const files: (readonly [string, string])[] = [];
  let totalBytes = 0;
  for (const path of reads) {
    const bytes = await context.filesystem.readBytes(path);
    totalBytes += bytes.length;
    if (totalBytes > maxTotalBytes)
      return `The files in "reads" have more than ${maxTotalBytes} bytes together. Read fewer or smaller ones.`;
    try {
      files.push([path, decoder.decode(bytes)]);
    } catch {
      return `The file ${JSON.stringify(path)} is not UTF-8 text. Leave it out of "reads".`;
    }
  }
  return files;
}

function success(reply: EvaluationReply, printed: readonly string[]): ToolResult<EvaluateCodeResult> {
  const { kind, value, stdout, stderr } = reply;
  const paths = reply.writes.map(([path]) => path);
  const shown = kind === 'none' ? 'No value.' : `value${kind === 'text' ? ' (not JSON)' : ''}: ${value}`;
  const written = paths.length === 0 ? [] : [`Written: ${paths.join(', ')}`];
  return ToolResult.ok(
    { value, value_kind: kind, stdout, stderr, writes: paths },
    [shown, ...written, ...printed].join('\n'),
  );
}
