import { type PointTest, widthAt } from './glob-class.ts';
import type { GlobPiece } from './glob-parse.ts';

/** Counts the instructions that matching has visited. */
export interface StepCount {
  steps: number;
}

/** Accepts one code point and continues with the next instruction, or continues with all instructions in `to` at once. */
type Instruction = { readonly accepts: PointTest } | { readonly to: readonly number[] };

/** Adds the instructions for pieces; the last of them continues with the instruction after it. */
function addPieces(program: Instruction[], pieces: readonly GlobPiece[]): void {
  for (const piece of pieces) {
    if (piece.kind === 'literal') {
      for (const character of piece.text) {
        const wanted = character.codePointAt(0);
        program.push({ accepts: (point) => point === wanted });
      }
    } else if (piece.kind === 'point') program.push({ accepts: piece.accepts });
    else if (piece.kind === 'star') {
      const start = program.length;
      program.push({ to: [start + 1, start + 3] }, { accepts: () => true }, { to: [start] });
    } else addGroup(program, piece);
  }
}

function addGroup(
  program: Instruction[],
  { repeat, options }: Extract<GlobPiece, { readonly kind: 'group' }>,
): void {
  const entry: number[] = [];
  const exit: number[] = [];
  const start = program.length;
  program.push({ to: entry });
  for (const option of options) {
    entry.push(program.length);
    addPieces(program, option);
    program.push({ to: exit });
  }
  if (repeat === '*' || repeat === '+') exit.push(start);
  exit.push(program.length);
  if (repeat === '*' || repeat === '?') entry.push(program.length);
}

/** Adds an instruction and those reachable from it without consuming a code point, each once for each `mark`. */
function enter(
  program: readonly Instruction[],
  first: number,
  mark: number,
  marks: Int32Array,
  states: number[],
  count: StepCount | undefined,
): void {
  const pending = [first];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (marks[next] === mark) continue;
    marks[next] = mark;
    if (count !== undefined) count.steps += 1;
    const instruction = program[next];
    if (instruction !== undefined && 'to' in instruction) pending.push(...instruction.to);
    else states.push(next);
  }
}

/**
 * True when the program accepts the whole name. All paths through it are followed in parallel, so that each code point
 * visits each instruction at most once, whatever the pattern.
 */
function accepts(program: readonly Instruction[], name: string, count: StepCount | undefined): boolean {
  const marks = new Int32Array(program.length + 1).fill(-1);
  let states: number[] = [];
  enter(program, 0, name.length, marks, states, count);
  for (let position = 0; position < name.length && states.length > 0; ) {
    const point = name.codePointAt(position) ?? 0;
    const next: number[] = [];
    for (const state of states) {
      const instruction = program[state];
      if (instruction !== undefined && 'accepts' in instruction && instruction.accepts(point))
        enter(program, state + 1, position, marks, next, count);
    }
    states = next;
    position += widthAt(name, position);
  }
  return states.includes(program.length);
}

/** The text of a segment without wildcards, else undefined. */
export function literalSegment(pieces: readonly GlobPiece[]): string | undefined {
  const [only] = pieces;
  return pieces.length === 1 && only?.kind === 'literal' ? only.text : undefined;
}

/**
 * A test for one segment of a path, in time linear in its length.
 * @param count receives the number of instructions visited. Undefined: they are not counted.
 */
export function compileSegment(
  pieces: readonly GlobPiece[],
  count: StepCount | undefined,
): (name: string) => boolean {
  const [first, second] = pieces;
  if (pieces.length === 1 && first?.kind === 'literal') return (name) => name === first.text;
  if (pieces.length === 1 && first?.kind === 'star') return () => true;
  if (pieces.length === 2 && first?.kind === 'star' && second?.kind === 'literal') {
    return (name) => name.endsWith(second.text);
  }
  const program: Instruction[] = [];
  addPieces(program, pieces);
  return (name) => accepts(program, name, count);
}
