/** The keys of an account. */
export interface Keys {
  /** Makes a further key. */
  create(): string;
  /** Refuses a key from the next request on. */
  revoke(key: string): void;
}

/** Who a valid key stands for. */
export interface KeyHolder<Account> {
  account: Account;
  keyId: string;
}

/** What every key of the mock begins with: the part that may be shown. */
const keyPrefix = "ss_live_";

/** A key that looks like a live one; `count` is its number within the account, so it is the same on every run. */
export function generateKey(account: number, count: number): string {
  return `${keyPrefix}mock${String(account).padStart(4, "0")}${String(count).padStart(12, "0")}`;
}

/** What may be shown of a key. */
export function maskKey(key: string): string {
  return key.startsWith(keyPrefix) ? `${keyPrefix}***` : "***";
}

/** Every key of that form, so that thousands of them cost no more than one. */
const generatedKey = `${keyPrefix}mock\\d{16,}`;

const isGenerated = new RegExp(`^${generatedKey}$`);

/** A shorter key, as tests use, is no secret: taking `k` out of what was sent would only maim it. */
const shortestSecret = 8;

/** Finds generated keys and those that are given by hand, each as it is, or as JSON or a URL writes it. */
function keysExpression(byHand: readonly string[]): RegExp {
  const forms = byHand
    .filter(({ length }) => length >= shortestSecret)
    .flatMap((key) => [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)])
    // The longest first, as one key may begin with another.
    .sort((a, b) => b.length - a.length)
    .map((form) => form.replace(/\W/g, "\\$&"));
  return new RegExp([...new Set(forms), generatedKey].join("|"), "g");
}

/** The keys of all accounts of a mock. */
export class KeyRegistry<Account> {
  readonly #holders = new Map<string, KeyHolder<Account> & { isRevoked: boolean }>();
  #byHand: string[] = [];
  #known: RegExp | undefined;

  add(key: string, holder: KeyHolder<Account>): void {
    if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key)) {
      throw new TypeError("Expected `apiKey` to be visible ASCII characters");
    }
    if (this.has(key)) {
      throw new Error(
        "Failed to add the key: the mock knows it already. Please give each account a key of its own.",
      );
    }
    this.#holders.set(key, { ...holder, isRevoked: false });
    if (isGenerated.test(key)) return;
    this.#byHand.push(key);
    this.#known = undefined;
  }

  /** Whether the key was ever added. */
  has(key: string): boolean {
    return this.#holders.has(key);
  }

  /** @throws when the key is not the account's */
  revoke(key: string, account: Account): void {
    const holder = this.#holders.get(key);
    if (holder?.account !== account) {
      throw new Error(
        "Failed to revoke the key: the account has no such key. Please pass one that it was given.",
      );
    }
    holder.isRevoked = true;
  }

  /** Undefined for a key that is unknown or revoked. */
  find(key: string): KeyHolder<Account> | undefined {
    const holder = this.#holders.get(key);
    return holder?.isRevoked ? undefined : holder;
  }

  /** Every key that was ever added, the oldest first. */
  held(): Iterable<[key: string, holder: Readonly<KeyHolder<Account> & { isRevoked: boolean }>]> {
    return this.#holders;
  }

  /** A text without the keys that were ever added, revoked ones included, and without the one that was sent with it. */
  masked(text: string, sent: string | undefined): string {
    this.#known ??= keysExpression(this.#byHand);
    const shown = text.replace(this.#known, maskKey);
    const isKnown = sent === undefined || this.has(sent);
    return isKnown ? shown : shown.replace(keysExpression([sent]), maskKey);
  }

  reset(): void {
    this.#holders.clear();
    this.#byHand = [];
    this.#known = undefined;
  }
}
