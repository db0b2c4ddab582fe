/** What has to be closed, as `AsyncDisposableStack`, which Node 20 does not have. */
export class Disposals implements AsyncDisposable {
  readonly #steps: (() => unknown)[] = [];

  /** Calls the function when this is disposed: before those that were given earlier. */
  defer(close: () => unknown): void {
    this.#steps.push(close);
  }

  /** Disposes the resource with this. @returns the resource. */
  use<Resource extends AsyncDisposable>(resource: Resource): Resource {
    this.defer(() => resource[Symbol.asyncDispose]());
    return resource;
  }

  /**
   * Closes everything, what was given last first, whatever throws on the way.
   * @throws what closing threw first.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    const errors: unknown[] = [];
    for (let close = this.#steps.pop(); close !== undefined; close = this.#steps.pop()) {
      try {
        await close();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
