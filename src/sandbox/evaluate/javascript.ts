import type { CallFiles } from './call-files.ts';
import type { EvaluationReply, EvaluationRequest } from './protocol.ts';
import type { QuickJs, QuickJsContext, QuickJsHandle } from './quickjs.ts';

/** `JS_EVAL_FLAG_ASYNC`: `await` at the top level; the result is a promise of `{ value }`. */
const ASYNC = 128;
/** Deeper recursion would overflow the stack of WebAssembly before that of the interpreter. */
const STACK_BYTES = 131_072;

/** Taken before the code runs: awaits its value, and says what kind it has. */
const FINISH = `(() => {
  const { stringify } = JSON;
  const { isFinite } = Number;
  const { toString } = Object.prototype;
  return async (box) => {
    const value = await box.value;
    if (value === undefined) return 'none:';
    try {
      const text = typeof value === 'number' && !isFinite(value) ? undefined : stringify(value);
      if (typeof text === 'string') return 'json:' + text;
    } catch {}
    // An array that contains itself has no text.
    try { return 'text:' + String(value); } catch { return 'text:' + toString.call(value); }
  };
})()`;

const PRELUDE = `
globalThis.read_text = (path) => { const r = __read(String(path)); if (r[0] === '!') throw new Error(r.slice(1)); return r.slice(1); };
globalThis.write_text = (path, text) => { const r = __write(String(path), String(text)); if (r[0] === '!') throw new Error(r.slice(1)); };
globalThis.print = ((write) => (...values) => write(values.map((value) => {
  if (typeof value === 'string') return value;
  try { return JSON.stringify(value) ?? String(value); } catch { return String(value); }
}).join(' ') + '\\n'))(__print);
globalThis.console = { log: print, info: print, debug: print, warn: print, error: print };
`;

/** Runs JavaScript in a runtime of its own. */
export function evaluateJavaScript(
  engine: QuickJs,
  request: EvaluationRequest,
  files: CallFiles,
  now: () => number,
): EvaluationReply {
  const runtime = engine.newRuntime();
  runtime.setMemoryLimit(request.maxMemoryBytes);
  runtime.setMaxStackSize(STACK_BYTES);
  const endsAtMs = now() + request.timeoutMs;
  let isLate = false;
  runtime.setInterruptHandler(() => (isLate ||= now() > endsAtMs));
  const context = runtime.newContext();
  const failed = (handle: QuickJsHandle): EvaluationReply => ({
    error: isLate ? `The code did not end within ${request.timeoutMs / 1000} s.` : describe(context, handle),
    kind: 'none',
    value: '',
    stdout: files.stdout,
    writes: [],
  });
  const run = (code: string, name: string, flags: number): QuickJsHandle | EvaluationReply => {
    const result = context.evalCode(code, name, flags);
    return result.error === undefined ? result.value : failed(result.error);
  };

  const define = (name: string, call: (...args: readonly string[]) => string): void =>
    context.setProp(
      context.global,
      name,
      context.newFunction(name, (...handles) =>
        context.newString(call(...handles.map((handle) => context.getString(handle)))),
      ),
    );
  define('__read', (path = '') => guarded(() => files.read(path)));
  define('__write', (path = '', text = '') => guarded(() => (files.write(path, text), '')));
  define('__print', (text = '') => (files.print(text), ''));
  const globals = request.inputs
    .map(([name, value]) => `globalThis[${JSON.stringify(name)}] = ${parsed(value)};`)
    .join('\n');
  const table = `globalThis.files = Object.assign(Object.create(null), Object.fromEntries(${parsed(request.files)}));`;
  const prelude = run(
    `(() => { const {__read, __write, __print} = globalThis; delete globalThis.__read; delete globalThis.__write; delete globalThis.__print;\n${PRELUDE}\n${table}\n${globals} })()`,
    'inputs.js',
    0,
  );
  if ('kind' in prelude) return prelude;
  const finish = run(FINISH, 'inputs.js', 0);
  if ('kind' in finish) return finish;
  const box = settled(run(request.code, 'code.js', ASYNC));
  if ('kind' in box) return box;
  const called = context.callFunction(finish, context.undefined, box);
  if (called.error !== undefined) return failed(called.error);
  const text = settled(called.value);
  if ('kind' in text) return text;
  const result = context.getString(text);
  const kind = result.slice(0, 4);
  return {
    kind: kind === 'json' || kind === 'text' ? kind : 'none',
    value: result.slice(5),
    stdout: files.stdout,
    writes: files.written,
  };

  /** Runs the pending jobs, then takes the value of the promise. */
  function settled(promise: QuickJsHandle | EvaluationReply): QuickJsHandle | EvaluationReply {
    if ('kind' in promise) return promise;
    const jobs = runtime.executePendingJobs();
    if (jobs.error !== undefined) return failed(jobs.error);
    const state = context.getPromiseState(promise);
    if (state.type === 'fulfilled') return state.value;
    if (state.type === 'rejected') return failed(state.error);
    return {
      error: 'The code awaits a promise that nothing settles.',
      kind: 'none',
      value: '',
      stdout: files.stdout,
      writes: [],
    };
  }
}

/** An expression of the value; parsed, so that a key `__proto__` is a property like any other. */
function parsed(value: unknown): string {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
}

function guarded(run: () => string): string {
  try {
    return `=${run()}`;
  } catch (error) {
    return `!${error instanceof Error ? error.message : ''}`;
  }
}

function describe(context: QuickJsContext, handle: QuickJsHandle): string {
  if (context.typeof(handle) !== 'object') return `Uncaught ${context.getString(handle)}`;
  const part = (name: string): string => {
    const value = context.getProp(handle, name);
    return context.typeof(value) === 'string' ? context.getString(value) : '';
  };
  const line = /code\.js:(\d+)/.exec(part('stack'))?.[1];
  return `${part('name')}: ${part('message')}${line === undefined ? '' : ` (line ${line})`}`;
}
