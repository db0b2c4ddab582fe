// The part of the package `quickjs-emscripten` that is used. It is an optional peer, so its own declarations need not be there.

/** A value of the interpreter. */
export interface QuickJsHandle {
  dispose(): void;
}

/** A value or an error. */
export type QuickJsResult =
  | { readonly error?: undefined; readonly value: QuickJsHandle }
  | { readonly error: QuickJsHandle };

/** The globals of one call. */
export interface QuickJsContext {
  readonly global: QuickJsHandle;
  readonly undefined: QuickJsHandle;
  evalCode(code: string, name: string, flags: number): QuickJsResult;
  callFunction(called: QuickJsHandle, self: QuickJsHandle, argument: QuickJsHandle): QuickJsResult;
  newFunction(name: string, call: (...args: readonly QuickJsHandle[]) => QuickJsHandle): QuickJsHandle;
  newString(text: string): QuickJsHandle;
  getString(handle: QuickJsHandle): string;
  setProp(handle: QuickJsHandle, name: string, value: QuickJsHandle): void;
  /** A copy. Throws when a getter does. */
  dump(handle: QuickJsHandle): unknown;
  getPromiseState(
    handle: QuickJsHandle,
  ):
    | { readonly type: 'pending' }
    | { readonly type: 'fulfilled'; readonly value: QuickJsHandle }
    | { readonly type: 'rejected'; readonly error: QuickJsHandle };
}

/** The package. */
export interface QuickJs {
  newRuntime(): {
    setMemoryLimit(bytes: number): void;
    setMaxStackSize(bytes: number): void;
    setInterruptHandler(isOver: () => boolean): void;
    newContext(): QuickJsContext;
    executePendingJobs(): { readonly error?: QuickJsHandle | undefined };
  };
}
