import { isRecord } from '../../../core/internal/index.ts';
import type { CommandOutputs } from '../backend/output.ts';
import type { CallFiles } from './call-files.ts';
import type { EvaluatedValue, EvaluationRequest } from './protocol.ts';
import type { QuickJs, QuickJsContext, QuickJsHandle } from './quickjs.ts';

/** `JS_EVAL_FLAG_ASYNC`: `await` at the top level; the result is a promise of `{ value }`. */
const asyncFlag = 128;
/** Deeper recursion would overflow the stack of WebAssembly before that of the interpreter. */
const stackBytes = 131_072;

// Texts cross the border of the interpreter as JSON: it cuts others at a NUL.

/** Makes a replacer for `JSON.stringify`, for what JSON would leave out. A map has one array, so that one that contains itself is found. */
const newReplacer = `() => {
  const arrays = new WeakMap();
  return (_key, part) => {
    if (typeof part === 'bigint') return String(part);
    if (!(part instanceof Map || part instanceof Set)) return part;
    if (!arrays.has(part)) arrays.set(part, [...part]);
    return arrays.get(part);
  };
}`;

/** Taken before there are inputs and code, which can replace all globals: awaits its value, and says what kind it has. */
const finishCode = `(() => {
  const { JSON, Map, Number, Object, Set, String, WeakMap } = globalThis;
  const { stringify } = JSON;
  const { isFinite } = Number;
  const { toString } = Object.prototype;
  const newReplacer = ${newReplacer};
  const isPlain = (value) => typeof value === 'number' ? isFinite(value) : typeof value !== 'bigint';
  return async (box) => {
    const value = await box.value;
    if (value === undefined) return stringify(['none', '']);
    try {
      const text = isPlain(value) ? stringify(value, newReplacer()) : undefined;
      if (typeof text === 'string') return stringify(['json', text]);
    } catch {}
    // An array that contains itself has no text.
    try { return stringify(['text', String(value)]); } catch { return stringify(['text', toString.call(value)]); }
  };
})()`;

const preludeCode = `
const { Error, JSON, Map, Object, Set, String, WeakMap } = globalThis;
const { toString } = Object.prototype;
const { parse, stringify } = JSON;
const newReplacer = ${newReplacer};
const { __read: read, __write: write, __print: print } = globalThis;
for (const name of ['__read', '__write', '__print']) delete globalThis[name];
const ask = (call, ...args) => {
  const [error, answer] = parse(call(stringify(args)));
  if (error !== null) throw new Error(error);
  return answer;
};
const shown = (value) => {
  if (typeof value === 'string' || typeof value === 'bigint') return String(value);
  if (value instanceof Error) return String(value);
  try { return stringify(value, newReplacer()) ?? String(value); } catch {}
  try { return String(value); } catch { return toString.call(value); }
};
const printer = (output) => (...values) => { ask(print, output, values.map(shown).join(' ') + '\\n'); };
globalThis.read_text = (path) => ask(read, path);
globalThis.write_text = (path, text) => { ask(write, path, text); };
globalThis.print = printer('stdout');
const warn = printer('stderr');
globalThis.console = { log: globalThis.print, info: globalThis.print, debug: globalThis.print, warn, error: warn };
`;

/** Runs JavaScript in a runtime of its own. May throw when the interpreter runs out of memory. */
export function evaluateJavaScript(
  engine: QuickJs,
  now: () => number,
  request: EvaluationRequest,
  files: CallFiles,
  output: CommandOutputs,
): EvaluatedValue | { readonly error: string } {
  const runtime = engine.newRuntime();
  runtime.setMemoryLimit(request.maxMemoryBytes);
  runtime.setMaxStackSize(stackBytes);
  const endsAtMs = now() + request.timeoutMs;
  let isLate = false;
  runtime.setInterruptHandler(() => (isLate ||= now() > endsAtMs));
  const context = runtime.newContext();
  const failed = (handle: QuickJsHandle): { readonly error: string } => ({
    error: isLate ? `The code did not end within ${request.timeoutMs / 1000} s.` : describe(context, handle),
  });
  const run = (code: string, name: string, flags: number): QuickJsHandle | { readonly error: string } => {
    const result = context.evalCode(code, name, flags);
    return result.error === undefined ? result.value : failed(result.error);
  };
  /** Runs the pending jobs, then takes the value of the promise. */
  const settled = (promise: QuickJsHandle): QuickJsHandle | { readonly error: string } => {
    const jobs = runtime.executePendingJobs();
    if (jobs.error !== undefined) return failed(jobs.error);
    const state = context.getPromiseState(promise);
    if (state.type === 'fulfilled') return state.value;
    return state.type === 'rejected'
      ? failed(state.error)
      : { error: 'The code awaits a promise that nothing settles.' };
  };

  defineFunctions(context, files, output);
  const globals = request.inputs
    .map(([name, value]) => `globalThis[${JSON.stringify(name)}] = ${parsed(value)};`)
    .join('\n');
  const table = `globalThis.files = Object.assign(Object.create(null), Object.fromEntries(${parsed(request.files)}));`;
  const finish = run(finishCode, 'finish.js', 0);
  if ('error' in finish) return finish;
  const prelude = run(`(() => {${preludeCode}\n${table}\n${globals}})()`, 'inputs.js', 0);
  if ('error' in prelude) return prelude;
  const promise = run(request.code, 'code.js', asyncFlag);
  if ('error' in promise) return promise;
  const box = settled(promise);
  if ('error' in box) return box;
  const called = context.callFunction(finish, context.undefined, box);
  if (called.error !== undefined) return failed(called.error);
  const result = settled(called.value);
  if ('error' in result) return result;
  return readValue(context.getString(result)) ?? { error: 'The value cannot be shown.' };
}

/** The functions of the code that leave the interpreter. Each takes its arguments, and gives an error or a result, as JSON text. */
function defineFunctions(context: QuickJsContext, files: CallFiles, output: CommandOutputs): void {
  const define = (name: string, call: (...args: readonly unknown[]) => unknown): void => {
    const answer = (args: string): string => {
      try {
        // What the code hands over is checked by `call`.
        return JSON.stringify([null, call(...(JSON.parse(args) as readonly unknown[])) ?? null]);
      } catch (error) {
        return JSON.stringify([error instanceof Error ? error.message : 'The call failed.']);
      }
    };
    const called = context.newFunction(name, (args) =>
      context.newString(answer(args === undefined ? '' : context.getString(args))),
    );
    context.setProp(context.global, name, called);
  };
  define('__read', (path) => files.read(path));
  define('__write', (path, text) => files.write(path, text));
  define('__print', (name, text) =>
    output.add(name === 'stderr' ? 'stderr' : 'stdout', Buffer.from(String(text))),
  );
}

/** An expression of the value; parsed, so that a key `__proto__` is a property like any other. */
function parsed(value: unknown): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}

/** Code can change what `JSON.stringify` makes of a value. */
function readValue(text: string): EvaluatedValue | undefined {
  let result: unknown;
  try {
    result = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(result)) return undefined;
  const [kind, value] = result as readonly unknown[];
  if ((kind !== 'json' && kind !== 'text' && kind !== 'none') || typeof value !== 'string') return undefined;
  return { kind, value };
}

/** What was thrown, with its line. */
function describe(context: QuickJsContext, handle: QuickJsHandle): string {
  try {
    const thrown: unknown = context.dump(handle);
    if (!isRecord(thrown)) return `Uncaught ${typeof thrown === 'string' ? thrown : JSON.stringify(thrown)}`;
    const { name, message, stack } = thrown;
    if (typeof name !== 'string') return `Uncaught ${JSON.stringify(thrown)}`;
    const line = /code\.js:(\d+)/.exec(typeof stack === 'string' ? stack : '')?.[1];
    return `${name}: ${typeof message === 'string' ? message : ''}${line === undefined ? '' : ` (line ${line})`}`;
  } catch {
    // Reading it can run code, such as a getter.
    return 'Uncaught value that cannot be shown.';
  }
}
