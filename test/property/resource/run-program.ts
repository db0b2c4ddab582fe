import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  binding,
  type NamedResourceToken,
  type ResourceContext,
  ResourceRegistry,
  resourceToken,
} from 'weakincentives';
import { type CallScope, ResourceContainer } from '../../../src/core/resource/index.ts';
import { Host } from '../../unit/core/resource/host.ts';
import type { Faults, Node, Program } from './graph.ts';

/** One instance that a factory made. */
export interface Instance {
  readonly node: number;
  /** `session`, or the number of a call. */
  readonly lifetime: string;
  /** Moment at which it was complete; undefined for one whose hook failed. */
  builtAt: number | undefined;
  /** Moments at which its disposer was called. */
  readonly disposedAt: number[];
  /** Moment at which somebody first got it; undefined while nobody did. */
  handedAt: number | undefined;
}

export interface Outcome {
  readonly node: number;
  readonly call: number | undefined;
  readonly result: { readonly value: Instance } | { readonly error: unknown };
}

/** What happened, for the checks. */
export interface Trace {
  readonly instances: readonly Instance[];
  readonly outcomes: readonly Outcome[];
  /** Outcomes of look-ups that were repeated, one by one, after everything else had settled. */
  readonly repeated: readonly Outcome[];
  readonly startError: unknown;
  /** What disposers threw. */
  readonly disposeErrors: readonly Error[];
  /** What was rejected or reported, wherever. */
  readonly reported: readonly unknown[];
  /** Moments at which start was undone, by its end. */
  readonly teardowns: ReadonlyMap<string, number>;
  readonly startEndedAt: number;
}

interface Made {
  readonly instance: Instance;
}

/** Runs a program. @throws when a look-up is still waiting when nothing happens any more. */
export async function runProgram(program: Program): Promise<Trace> {
  const run = new ProgramRun(program);
  return run.run();
}

class ProgramRun {
  readonly #program: Program;
  readonly #tokens: readonly NamedResourceToken<Made>[];
  readonly #where = resourceToken<string>('where');
  readonly #instances: Instance[] = [];
  readonly #disposeErrors: Error[] = [];
  readonly #reported: unknown[] = [];
  readonly #teardowns = new Map<string, number>();
  readonly #used = new Map<string, number>();
  readonly #host = new Host();
  readonly #container: ResourceContainer;
  readonly #calls: readonly CallScope[];
  #moment = 0;

  constructor(program: Program) {
    this.#program = program;
    this.#tokens = program.nodes.map((_, index) => resourceToken<Made>(`n${index}`));
    const bindings = program.nodes.map((node, index) =>
      binding(this.#token(index), {
        create: (context) => this.#make(node, index, context),
        scope: node.scope,
        eager: node.eager,
        ...(node.hookFaults === 'none'
          ? {}
          : { afterCreate: (made: Made) => this.#prepare(node, index, made) }),
      }),
    );
    this.#container = ResourceContainer.for(this.#host, ResourceRegistry.of(bindings), {
      onLateFailure: (failure) => this.#reported.push(failure),
    });
    this.#calls = program.callEnds.map((_, call) =>
      this.#container.openCallScope([[this.#where, () => String(call)]]),
    );
  }

  async run(): Promise<Trace> {
    const { starts, lookUps, callEnds, runEnds, sessionEnds, nodes } = this.#program;
    let startError: unknown;
    if (starts) {
      await this.#container.start().catch((error: unknown) => {
        startError = error;
        this.#reported.push(error);
      });
      await nextTurn();
    }
    const startEndedAt = this.#now();
    const outcomes: Outcome[] = [];
    const waiting = lookUps.map(async ({ node, call, steps }) => {
      await pass(steps);
      outcomes.push(await this.#lookUp(node, call));
    });
    const ends = [
      ...callEnds.map(async (end, call) => {
        if (end !== undefined) await pass(end).then(() => this.#endCall(call));
      }),
      (async () => {
        if (runEnds === undefined) return;
        await pass(runEnds);
        ResourceContainer.cancelBuilds(this.#host, (failure) => this.#reported.push(failure));
      })(),
      (async () => {
        if (sessionEnds !== undefined) await pass(sessionEnds).then(() => this.#endSession());
      })(),
    ];
    // Everything here happens in microtasks, so one turn of the event loop is the end of all of it.
    await nextTurn();
    if (outcomes.length < waiting.length) throw new Error('A look-up waits for ever.');
    const repeated: Outcome[] = [];
    for (const { node, call } of lookUps) {
      // Each failure uses up one fault that happens once.
      for (let tries = 2 * nodes.length + 1; tries > 0; tries -= 1) {
        const outcome = await this.#lookUp(node, call);
        if (tries === 1 || 'value' in outcome.result) {
          repeated.push(outcome);
          break;
        }
      }
    }
    await Promise.all(ends);
    for (const call of this.#calls.keys()) await this.#endCall(call);
    await this.#endSession();
    await nextTurn();
    return {
      instances: this.#instances,
      outcomes,
      repeated,
      startError,
      disposeErrors: this.#disposeErrors,
      reported: this.#reported,
      teardowns: this.#teardowns,
      startEndedAt,
    };
  }

  async #lookUp(node: number, call: number | undefined): Promise<Outcome> {
    const resolver = call === undefined ? this.#container.resolver : this.#calls[call]?.resolver;
    try {
      const made = await resolver?.get(this.#token(node));
      if (made === undefined) throw new Error('There is no such call.');
      this.#handed(made);
      return { node, call, result: { value: made.instance } };
    } catch (error) {
      this.#reported.push(error);
      return { node, call, result: { error } };
    }
  }

  async #make(node: Node, index: number, context: ResourceContext): Promise<Made> {
    if (node.failsEarly) this.#fault(`factory ${index}`, node.factoryFaults);
    const lifetime = node.scope === 'tool-call' ? await context.get(this.#where) : 'session';
    const ask = async (need: number): Promise<void> => {
      try {
        this.#handed(await context.get(this.#token(need)));
      } catch (error) {
        // Of several that fail together, the factory fails with the first.
        this.#reported.push(error);
        throw error;
      }
    };
    if (node.together) await Promise.all(node.needs.map(ask));
    else for (const need of node.needs) await ask(need);
    await pass(node.steps);
    if (!node.failsEarly) this.#fault(`factory ${index}`, node.factoryFaults);
    const instance: Instance = {
      node: index,
      lifetime,
      builtAt: undefined,
      disposedAt: [],
      handedAt: undefined,
    };
    this.#instances.push(instance);
    const made = { instance, ...this.#disposer(node, instance) };
    if (node.hookFaults === 'none') instance.builtAt = this.#now();
    return made;
  }

  async #prepare(node: Node, index: number, { instance }: Made): Promise<void> {
    await pass(node.steps);
    this.#fault(`hook ${index}`, node.hookFaults === 'none' ? 0 : node.hookFaults);
    instance.builtAt = this.#now();
  }

  #disposer(node: Node, instance: Instance): object {
    const dispose = (): void => {
      instance.disposedAt.push(this.#now());
      if (!node.disposeFails) return;
      const error = new Error(`n${instance.node} is stuck`);
      this.#disposeErrors.push(error);
      throw error;
    };
    if (node.disposer === 'close') return { close: dispose };
    if (node.disposer === 'dispose') return { [Symbol.dispose]: dispose };
    return {
      [Symbol.asyncDispose]: async () => {
        dispose();
        await pass(node.steps);
      },
    };
  }

  #fault(what: string, faults: Faults): void {
    const used = this.#used.get(what) ?? 0;
    this.#used.set(what, used + 1);
    if (faults === 'always' || used < faults) throw new Error(`${what} failed`);
  }

  #handed({ instance }: Made): void {
    instance.handedAt ??= this.#now();
  }

  async #endCall(call: number): Promise<void> {
    if (!this.#teardowns.has(String(call))) this.#teardowns.set(String(call), this.#now());
    this.#reported.push(...((await this.#calls[call]?.dispose()) ?? []));
  }

  async #endSession(): Promise<void> {
    if (!this.#teardowns.has('session')) this.#teardowns.set('session', this.#now());
    await this.#host.dispose().catch((error: unknown) => this.#reported.push(error));
  }

  #now(): number {
    this.#moment += 1;
    return this.#moment;
  }

  #token(index: number): NamedResourceToken<Made> {
    const token = this.#tokens[index];
    if (token === undefined) throw new Error(`There is no node ${index}.`);
    return token;
  }
}

async function pass(steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) await Promise.resolve();
}
