/** A diff is refused, for the reason in `message`. Never leaves `applyDiff()` and `readCreation()`. */
export class DiffRefusal {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}
