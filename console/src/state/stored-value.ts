export interface StoredValue {
  read(): string | null;
  /** Stores the value; null deletes it. */
  write(value: string | null): void;
  /** Calls `callback` when another tab changes the value. */
  onChange(callback: (value: string | null) => void): void;
}

/** Creates a value that is kept in localStorage, or in memory if the browser blocks localStorage. */
export const storedValue = (name: string): StoredValue => {
  let inMemory: string | null = null;
  return {
    read() {
      try {
        return localStorage.getItem(name);
      } catch {
        return inMemory;
      }
    },
    write(value) {
      inMemory = value;
      try {
        if (value === null) localStorage.removeItem(name);
        else localStorage.setItem(name, value);
      } catch {
        // The browser blocks localStorage, so the value is kept in memory only.
      }
    },
    onChange(callback) {
      addEventListener('storage', ({ key, newValue }) => {
        if (key === name) callback(newValue);
      });
    },
  };
};
