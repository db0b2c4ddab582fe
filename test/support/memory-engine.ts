/** Where an attempt ends: in step `step`, before its work, after its work, or once the engine has kept it. */
export interface EngineKill {
  readonly step: number;
  readonly at: 'before' | 'worked' | 'kept';
}

/** An engine in memory that keeps the texts of steps by their order. */
export class MemoryEngine {
  /** What was kept, in order. */
  readonly kept: string[] = [];
  /** Names of the steps of each attempt. */
  readonly names: string[][] = [];

  /**
   * Makes an attempt.
   *
   * @param handler gets the steps of the attempt, and the signal that says that it has ended.
   * @param kill where the process is killed. Default: nowhere.
   * @returns what the handler says; `killed` when the attempt has ended before.
   */
  async attempt<T>(
    handler: (attempt: {
      readonly step: (name: string, work: () => Promise<string>) => Promise<string>;
      readonly signal: AbortSignal;
    }) => Promise<T>,
    kill?: EngineKill,
  ): Promise<T | 'killed'> {
    const controller = new AbortController();
    const names: string[] = [];
    this.names.push(names);
    let at = 0;
    let die: (value: 'killed') => void = () => undefined;
    const death = new Promise<'killed'>((resolve) => {
      die = resolve;
    });
    const killedAt = (point: EngineKill['at'], step: number): boolean => {
      if (controller.signal.aborted) return true;
      if (kill?.step !== step || kill.at !== point) return false;
      controller.abort(new Error('The process is killed.'));
      die('killed');
      return true;
    };
    const never = new Promise<never>(() => undefined);
    const step = async (name: string, work: () => Promise<string>): Promise<string> => {
      const number = at;
      at += 1;
      names.push(name);
      const kept = this.kept[number];
      if (kept !== undefined) return kept;
      if (killedAt('before', number)) return never;
      const text = await work();
      if (killedAt('worked', number)) return never;
      // Another attempt may have kept it meanwhile.
      const now = (this.kept[number] ??= text);
      if (killedAt('kept', number)) return never;
      return now;
    };
    const done = handler({ step, signal: controller.signal });
    done.catch(() => undefined);
    return Promise.race([done, death]);
  }
}
