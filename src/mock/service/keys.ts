import { masker } from "../../secrets/mask.js";

/** The keys of an account. */
export interface Keys {
  /** Creates another key. */
  create(): string;
  /** Revokes a key: the next request with it is refused. */
  revoke(key: string): void;
}

/** The account and the id that belong to a key. */
export interface KeyHolder<Account> {
  account: Account;
  keyId: string;
}

/** The prefix of every generated key: the part that may be shown. */
const keyPrefix = "ss_live_";

/** A key that looks like a live one. It depends only on the account and `count`, so it is the same on every run. */
export function generateKey(account: number, count: number): string {
  return `${keyPrefix}mock${String(account).padStart(4, "0")}${String(count).padStart(12, "0")}`;
}

/** The part of a key that may be shown. */
export function maskKey(key: string): string {
  return key.startsWith(keyPrefix) ? `${keyPrefix}***` : "***";
}

/** Matches any generated key, so that masking thousands of them costs no more than masking one. */
const generatedKeys = new RegExp(`${keyPrefix}mock\\d{16,}`, "g");

const isGenerated = (key: string): boolean => key.replace(generatedKeys, "") === "";

const maskerOf = (keys: readonly string[]) => masker(keys, maskKey);

/** The keys of all accounts of a mock. */
export class KeyRegistry<Account> {
  readonly #holders = new Map<string, KeyHolder<Account> & { isRevoked: boolean }>();
  /** Masks the keys that were given by hand; undefined until it is needed again. */
  #maskGiven: ((text: string) => string) | undefined;

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
    if (!isGenerated(key)) this.#maskGiven = undefined;
  }

  /** Whether the key was ever added. */
  has(key: string): boolean {
    return this.#holders.has(key);
  }

  /** @throws if the key does not belong to the account */
  revoke(key: string, account: Account): void {
    const holder = this.#holders.get(key);
    if (holder?.account !== account) {
      throw new Error(
        "Failed to revoke the key: the account has no such key. Please pass one that it was given.",
      );
    }
    holder.isRevoked = true;
  }

  /** The holder of a key; undefined if the key is unknown or revoked. */
  find(key: string): KeyHolder<Account> | undefined {
    const holder = this.#holders.get(key);
    return holder?.isRevoked ? undefined : holder;
  }

  /** Every key that was ever added, oldest first. */
  held(): Iterable<[key: string, holder: Readonly<KeyHolder<Account> & { isRevoked: boolean }>]> {
    return this.#holders;
  }

  /** Masks in a text every key that was ever added, including revoked ones, and the key that was sent with the text. */
  masked(text: string, sent: string | undefined): string {
    this.#maskGiven ??= maskerOf([...this.#holders.keys()].filter((key) => !isGenerated(key)));
    const masked = this.#maskGiven(text.replace(generatedKeys, maskKey));
    return sent === undefined || this.has(sent) ? masked : maskerOf([sent])(masked);
  }

  /** Forgets the keys of an account. */
  forget(account: Account): void {
    for (const [key, holder] of this.#holders) if (holder.account === account) this.#holders.delete(key);
    this.#maskGiven = undefined;
  }

  reset(): void {
    this.#holders.clear();
    this.#maskGiven = undefined;
  }
}
