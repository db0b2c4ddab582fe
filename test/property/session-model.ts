import type { Call, EventName, Instruction, ReadName, WriteName } from './session-program.ts';

/** What a session should do, in the plainest way: arrays and maps, copied whole, one call after the other. */
export interface Model {
  list: number[];
  counter: number;
  table: Map<string, number>;
  log: string[];
}

export function emptyModel(): Model {
  return { list: [], counter: 0, table: new Map(), log: [] };
}

function copyOf(model: Model): Model {
  return { list: [...model.list], counter: model.counter, table: new Map(model.table), log: [...model.log] };
}

function putBack(model: Model, saved: Model): void {
  Object.assign(model, copyOf(saved), { log: model.log });
}

/** Runs a call to its end and returns what it saw. A call that fails leaves only what it logged. */
export function runCall(model: Model, call: Call): string[] {
  const before = copyOf(model);
  const seen = runProgram(model, call.program);
  if (!call.succeeds) putBack(model, before);
  return seen;
}

/** Does what the program says; returns what it saw. */
export function runProgram(model: Model, program: readonly Instruction[]): string[] {
  let saved = copyOf(model);
  const seen: string[] = [];
  for (const step of program) {
    switch (step.do) {
      case 'event':
        seen.push(happen(model, step.event, step.x, step.k, step.to));
        break;
      case 'write':
        write(model, step.write, step.x, step.k);
        break;
      case 'read':
        seen.push(read(model, step.read, step.k));
        break;
      case 'save':
        saved = copyOf(model);
        break;
      case 'restore':
        putBack(model, saved);
        break;
      case 'nested':
        for (const call of step.calls) seen.push(...runCall(model, call));
        break;
    }
  }
  return seen;
}

function happen(model: Model, event: EventName, x: number, k: string, to: string): string {
  const { list, table, log } = model;
  switch (event) {
    case 'add':
      list.push(x);
      break;
    case 'add-counter':
      list.push(model.counter);
      break;
    case 'add-key':
      list.push(table.get(k) ?? -1);
      break;
    case 'add-log-length':
      list.push(log.length);
      break;
    case 'increase':
      model.counter += x;
      break;
    case 'spend':
      if (model.counter < x) return `only ${model.counter}`;
      model.counter -= x;
      break;
    case 'both':
      if (model.counter > 4) return `too many: ${model.counter}`;
      list.push(x);
      model.counter += 1;
      break;
    case 'put':
      table.set(k, x);
      break;
    case 'refresh':
      table.delete(k);
      table.set(k, x);
      break;
    case 'bump':
      table.set(k, (table.get(k) ?? 0) + 1);
      break;
    case 'copy': {
      const value = table.get(k);
      if (value === undefined) return `no ${k}`;
      table.set(to, value);
      break;
    }
    case 'total':
      table.set(
        k,
        [...table.values()].reduce((sum, value) => sum + value, 0),
      );
      break;
    case 'drop':
      table.delete(k);
      break;
    case 'note':
      log.push(`note ${x}`);
      break;
    case 'note-count':
      log.push(`count ${log.length}`);
      break;
    case 'note-counter':
      log.push(`counter ${model.counter}`);
      break;
    case 'unheard':
      break;
  }
  return 'done';
}

function write(model: Model, name: WriteName, x: number, k: string): void {
  switch (name) {
    case 'append':
      model.list.push(x);
      break;
    case 'seed':
      model.list = [x];
      break;
    case 'clear':
      model.list = [];
      break;
    case 'clear-even':
      model.list = model.list.filter((item) => item % 2 !== 0);
      break;
    case 'put':
      model.table.set(k, x);
      break;
    case 'clear-table-even':
      model.table = new Map([...model.table].filter(([, value]) => value % 2 !== 0));
      break;
    case 'log':
      model.log.push(`direct ${x}`);
      break;
  }
}

function read(model: Model, name: ReadName, k: string): string {
  const entries = [...model.table];
  switch (name) {
    case 'list':
      return JSON.stringify(model.list);
    case 'list-length':
      return String(model.list.length);
    case 'list-latest':
      return String(model.list.at(-1));
    case 'list-sum':
      return String(model.list.reduce((sum, item) => sum + item, 0));
    case 'counter':
      return String(model.counter);
    case 'key':
      return String(model.table.get(k));
    case 'table':
      return JSON.stringify(entries);
    case 'table-latest':
      return JSON.stringify(entries.at(-1));
    case 'log':
      return JSON.stringify(model.log);
    case 'log-length':
      return String(model.log.length);
  }
}

/** Everything the model holds, as text. */
export function dumpModel({ list, counter, table, log }: Model): string {
  return JSON.stringify([list, counter, [...table], log]);
}
