/** Generated from docs/reference/openapi/ops.json by `npm run reference`; a test fails when this file is stale. */
export interface paths {
    "/ops/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Until when the session lasts. */
        get: operations["showSession"];
        put?: never;
        /**
         * Opens a session for the pages of this server: 12 hours, in a cookie that no script reads.
         * @description At most 10 wrong tokens a minute from one address; the right one is always let in. Another operator token ends every session.
         */
        post: operations["openSession"];
        /**
         * Ends the session, and takes it out of the browser.
         * @description Wherever its cookie was copied to; streams that follow the service with it end, too.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the service is: what comes in, how far the read models are, what needs an operator.
         * @description It answers also while stores are away: what they know is null then. Figures of the past are by the minute, kept for 48 hours.
         */
        get: operations["getOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What changes, as it changes: server-sent events.
         * @description `overview` every 5 s, as `GET /ops/v1/overview` answers it; `projections` every 2 s: `{ projections, replays }`, the first as
         *     `GET /ops/v1/projections` answers it, the second those that are under way. A comment every 15 s. At most 50 at a time listen;
         *     one that does not read what it is sent is dropped, and comes again by itself.
         */
        get: operations["followLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/registry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The whole registry as a file; applying it changes nothing. */
        get: operations["exportRegistry"];
        put?: never;
        /** Applies a registry file; the same file again changes nothing. */
        post: operations["applyRegistry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/networks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The networks of the registry. */
        get: operations["listNetworks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All API keys there ever were, without the keys. */
        get: operations["listApiKeys"];
        put?: never;
        /** Makes an API key; it is shown in this answer and never again. */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/api-keys/{id}/rates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Sets how much an API key may send; in force within 5 s. */
        put: operations["setApiKeyRates"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes an API key for good; within 5 s nobody takes it any more. */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All clients there ever were, without their secrets. */
        get: operations["listClients"];
        put?: never;
        /** Makes a client for the token endpoint; its secret is shown in this answer and never again. */
        post: operations["createClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/clients/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Gives a client another secret; the one before stays good for a while, by default for seven days. */
        post: operations["rotateClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/clients/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes a client for good, and with it its live tokens within 5 s. */
        delete: operations["revokeClient"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/signing-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The key that signs access tokens, and those before it whose tokens may still be in use. */
        get: operations["listSigningKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/signing-keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Signs access tokens with a new key from now on. Tokens of earlier keys live on until they expire; with `end_tokens=true` they are refused within 5 s. */
        post: operations["rotateSigningKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/analysts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All analysts there ever were, without their passwords. */
        get: operations["listAnalysts"];
        put?: never;
        /** Makes a login for an analyst; its password is shown in this answer and never again. */
        post: operations["createAnalyst"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/analysts/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends an analyst for good: from now on no row is seen, and what is being asked is stopped. */
        delete: operations["revokeAnalyst"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Everything that is known of an event, with its content as the log holds it. */
        get: operations["showEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/conflicts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Events whose id came again with other content, the newest first; of the last 31 days unless asked otherwise. */
        get: operations["listConflicts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/quarantine": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Events that wait for a mapping or for the registry: why, counted, and the newest of them. */
        get: operations["listQuarantine"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/quarantine/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Has the events of a vendor's own schema that wait for a mapping tried again, such as by a newer build. */
        post: operations["retryQuarantine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What became of what vendors sent, by hour of receipt and together; of the last 24 h unless asked otherwise. */
        get: operations["getBalance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Bulk jobs, the newest first. */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One bulk job as the log has it, with its first bad rows. */
        get: operations["showJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/jobs/{id}/errors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every bad row of a bulk job, a JSON object a line. */
        get: operations["listJobErrors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/mappings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The mappings in force. */
        get: operations["listMappings"];
        put?: never;
        /** Registers how a vendor's own schema becomes plays; the same mapping again changes nothing. */
        post: operations["applyMapping"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Devices with their screens and feeders, and which are online; without retired ones. */
        get: operations["listDevices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/outages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * When devices and feeders were offline, the newest first; of the last week unless asked otherwise.
         * @description An outage is told when any part of it lies in the window, also one that began before or still lasts. Heartbeats that were backfilled shorten an outage, part it or make it vanish.
         */
        get: operations["listOutages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/completeness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What each screen of a network did in each hour: played, was silent, was offline, was repaired afterwards. */
        get: operations["getCompleteness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/projections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far each projection is. */
        get: operations["listProjections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/projections/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Has a projection stand still, in every process, until it is resumed; reports stay as they are. */
        post: operations["pauseProjection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/projections/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Has a projection go on; one that set too much aside at once sets events aside again. */
        post: operations["resumeProjection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/parked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Events that could not be projected and were set aside: why, and what they hold. */
        get: operations["listParked"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/parked/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Has parked events projected, in the order of the log; of a stream whose order matters all that is parked. */
        post: operations["retryParked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/parked/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Has events passed over for good, by every generation that is built later too. */
        post: operations["discardParked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/projections/{name}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Builds a projection anew beside what is live, and then has readers change over.
         * @description It is built by whichever process has time; its progress is told at `/ops/v1/replays/{id}`.
         */
        post: operations["startReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Replays and rollbacks, the newest first. */
        get: operations["listReplays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/replays/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a replay goes or went. */
        get: operations["showReplay"];
        put?: never;
        post?: never;
        /** Ends a replay within seconds, and drops what it has built; readers stay where they are. */
        delete: operations["cancelReplay"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/projections/{name}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Has readers go back to the generation that was live before. */
        post: operations["rollBackProjection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ops/v1/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is wrong with the service, and what to do about it.
         * @description Looks at every engine, at the schema, the projections, clocks, disks and at what waits. It answers within ten seconds, also while engines are away or hang.
         */
        get: operations["examineService"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The process runs. */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Readiness of the service and its dependencies. */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics in the Prometheus text format; from this machine or with the operator token. */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description, as OpenAPI 3.1 has it. */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description, as a page. */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Analyst: {
            name: string;
            /** @description Null: all networks. */
            network_ids: number[] | null;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            revoked_at: string | null;
            /** @description Whether ClickHouse knows the login now; null when it does not tell. */
            can_log_in: boolean | null;
        };
        ApiKey: {
            id: string;
            /** Format: int64 */
            network_id: number;
            vendor: string;
            name: string | null;
            /** @description The beginning of the key, to know it by. */
            prefix: string;
            /** Format: int64 */
            requests_per_second: number;
            /** Format: int64 */
            events_per_second: number;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            revoked_at: string | null;
        };
        AppliedMapping: {
            vendor: string;
            /** Format: int64 */
            network_id: number;
            schema_version: string;
            /**
             * Format: int64
             * @description Counted by vendor and schema version.
             */
            version: number;
            /** @description False: this very mapping was in force already. */
            changed: boolean;
        };
        AppliedRegistry: {
            /** @description How many, by kind. */
            created: {
                [key: string]: number;
            };
            /** @description How many, by kind. */
            changed: {
                [key: string]: number;
            };
            /** @description How many, by kind. */
            retired: {
                [key: string]: number;
            };
            /** @description How many, by kind. */
            unchanged: {
                [key: string]: number;
            };
            /** @description Nothing was stored. */
            dry_run: boolean;
            changes: {
                /** @enum {string} */
                kind: "networks" | "vendors" | "sites" | "locations" | "devices" | "feeders" | "cameras" | "apps" | "campaigns" | "creatives" | "metric_definitions";
                key: string;
                /** @enum {string} */
                change: "created" | "changed" | "retired";
                /** @description From what to what; null where it is not given. */
                fields: {
                    [key: string]: {
                        from: unknown;
                        to: unknown;
                    };
                };
            }[];
        };
        Balance: {
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            since: string;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            until: string | null;
            sum: {
                /** Format: int64 */
                received: number;
                /** Format: int64 */
                stored: number;
                /** Format: int64 */
                duplicate: number;
                /** Format: int64 */
                conflict: number;
                /** Format: int64 */
                quarantined: number;
                /**
                 * Format: int64
                 * @description Of the stored.
                 */
                late: number;
                /**
                 * Format: int64
                 * @description Of the stored.
                 */
                clock_ahead: number;
                /** Format: int64 */
                hours: number;
            } | null;
            /** @description The newest first. */
            hours: components["schemas"]["BalanceOfHour"][];
        };
        BalanceOfHour: {
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            hour: string;
            /** Format: int64 */
            network_id: number;
            vendor: string;
            /** Format: int64 */
            received: number;
            /** Format: int64 */
            stored: number;
            /** Format: int64 */
            duplicate: number;
            /** Format: int64 */
            conflict: number;
            /** Format: int64 */
            quarantined: number;
            /**
             * Format: int64
             * @description Of the stored.
             */
            late: number;
            /**
             * Format: int64
             * @description Of the stored.
             */
            clock_ahead: number;
        };
        Client: {
            client_id: string;
            name: string | null;
            /** @description In the order of the claim; the first is the default of a request. */
            network_ids: number[];
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            revoked_at: string | null;
        };
        Completeness: {
            /**
             * Format: date-time
             * @description Start of the first hour.
             * @example 2026-08-20T14:03:07.250Z
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the last hour.
             * @example 2026-08-20T14:03:07.250Z
             */
            to: string;
            /** Format: int64 */
            hours: number;
            /** @description By their id. */
            screens: components["schemas"]["ScreenCompleteness"][];
            /**
             * Format: int64
             * @description Screens on this page.
             */
            count: number;
            /** @description What to send as `after` for the next page; null on the last. */
            next_after: string | null;
            /** @description Hours of the screens on this page, by what they were. */
            totals: {
                /** Format: int64 */
                playing: number;
                /** Format: int64 */
                silent: number;
                /** Format: int64 */
                offline: number;
                /** Format: int64 */
                backfilled: number;
                /** Format: int64 */
                unknown: number;
            };
        };
        Conflicts: {
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            since: string;
            conflicts: {
                /** Format: int64 */
                network_id: number;
                vendor: string;
                event_id: string;
                /** @description Fields of which the content differs. */
                differs: string[];
                first: {
                    /** @description In the log. */
                    position: string;
                    /**
                     * Format: date-time
                     * @example 2026-08-20T14:03:07.250Z
                     */
                    received_at: string;
                    type: string | null;
                    /** @description As sent; null where the log has it no more. */
                    content: {
                        [key: string]: unknown;
                    } | null;
                };
                later: {
                    /** @description In the log. */
                    position: string;
                    /**
                     * Format: date-time
                     * @example 2026-08-20T14:03:07.250Z
                     */
                    received_at: string;
                    type: string | null;
                    /** @description As sent; null where the log has it no more. */
                    content: {
                        [key: string]: unknown;
                    } | null;
                };
            }[];
            /** @description What to send as `before` for the next page; null on the last. */
            next_before: string | null;
        };
        Finding: {
            /** @description What was looked at. */
            check: string;
            /**
             * @description `warning`: it works and will not for ever; `failed`: something does not work; `skipped`: what it needs does not answer.
             * @enum {string}
             */
            outcome: "ok" | "warning" | "failed" | "skipped";
            found: string;
            /** @description What to do about it; null where nothing is to be done. */
            advice: string | null;
        };
        ListedDevice: {
            /** Format: int64 */
            id: number;
            name: string;
            network: components["schemas"]["Place"];
            site: components["schemas"]["Place"];
            location: components["schemas"]["Place"];
            /**
             * @description `never`: it is registered and was never heard.
             * @enum {string}
             */
            status: "online" | "offline" | "never";
            /**
             * Format: date-time
             * @description Receipt of the last heartbeat that counts.
             * @example 2026-08-20T14:03:07.250Z
             */
            last_active_at: string | null;
            /**
             * Format: date-time
             * @description Only of those that are `offline`.
             * @example 2026-08-20T14:03:07.250Z
             */
            offline_since: string | null;
            /** @description That it shows now, as vendors name them. */
            screens: string[];
            feeders: components["schemas"]["ListedFeeder"][];
        };
        ListedFeeder: {
            /** Format: int64 */
            id: number;
            name: string;
            /**
             * @description `never`: it is registered and was never heard.
             * @enum {string}
             */
            status: "online" | "offline" | "never";
            /**
             * Format: date-time
             * @description Receipt of the last heartbeat that counts.
             * @example 2026-08-20T14:03:07.250Z
             */
            last_active_at: string | null;
        };
        ListedJob: {
            job_id: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed" | "partially_completed";
            /** Format: int64 */
            network_id: number;
            vendor: string;
            file_name: string;
            /** @enum {string} */
            format: "ndjson" | "json" | "csv";
            schema_version: string;
            /** Format: int64 */
            size_bytes: number;
            /** Format: int64 */
            bytes_read: number;
            /** Format: int64 */
            processed_rows: number;
            /** Format: int64 */
            error_rows: number;
            /**
             * Format: int64
             * @description Null until the end of the file was seen.
             */
            total_rows: number | null;
            /**
             * Format: int64
             * @description 0 before the first.
             */
            attempt: number;
            progress_percent: number;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            queued_at: string | null;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            began_at: string | null;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            ended_at: string | null;
            /** @description Why it failed. */
            reason: string | null;
        };
        ListedNetwork: {
            /** Format: int64 */
            id: number;
            name: string;
            timezone: string;
        };
        ListedOutage: {
            /** Format: int64 */
            network_id: number;
            /** @enum {string} */
            kind: "device" | "feeder";
            /** Format: int64 */
            id: number;
            /** @description Empty when the registry does not know it. */
            name: string;
            /**
             * Format: int64
             * @description The device itself, or the one the feeder belongs to.
             */
            device_id: number;
            /**
             * Format: int64
             * @description Where the device is now; 0 when the registry does not know it.
             */
            site_id: number;
            site_name: string;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            offline_at: string;
            /**
             * Format: date-time
             * @description Null while it lasts.
             * @example 2026-08-20T14:03:07.250Z
             */
            online_at: string | null;
            /** @description How long; until now while it lasts. */
            seconds: number;
            /** @description Shorter than it was recorded, by heartbeats that were backfilled. */
            backfilled: boolean;
        };
        MadeAnalyst: {
            user: string;
            /** @description Shown now and never again. */
            password: string;
            /** @description Null: all networks. */
            network_ids: number[] | null;
            /** @description Where analysts ask, over HTTP. */
            url: string;
            database: string;
            /** @description Whether ClickHouse knows the login now. */
            can_log_in: boolean;
            /** @description Why ClickHouse did not take the statements; null when it did or was not asked. */
            why: string | null;
            /** @description What makes the login on a server whose users are made by SQL. */
            statements: string[];
        };
        MadeApiKey: {
            id: string;
            /** @description Shown now and never again. */
            api_key: string;
            /** Format: int64 */
            network_id: number;
            vendor: string;
        };
        MadeClient: {
            client_id: string;
            /** @description Shown now and never again. */
            client_secret: string;
            /** @description In the order of the claim; the first is the default of a request. */
            network_ids: number[];
        };
        MappingInForce: {
            vendor: string;
            /** Format: int64 */
            network_id: number;
            schema_version: string;
            /**
             * Format: int64
             * @description Counted by vendor and schema version.
             */
            version: number;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            registered_at: string;
            mapping: {
                vendor: string;
                schema_version: string;
                /** @description Names of the columns of a CSV without header. */
                columns?: string[];
                /** @description Further fields that must be present for an event to be a play. */
                required?: string[];
                fields: {
                    eventId?: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                    };
                    screenId: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                    };
                    siteId?: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                    };
                    campaignId: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                    };
                    creativeId: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                    };
                    playedAt?: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                        /** @description Format of the time: iso (default), unix_s, unix_ms, or a pattern like yyyy-MM-dd HH:mm:ss. */
                        time?: string | ("iso" | "unix_s" | "unix_ms");
                        /** @description Zone of a time without offset; default device: the zone of the device, else of its site. */
                        zone?: string | ("utc" | "device");
                        /** @description Path of a separate field with the offset. */
                        offset_path?: string;
                    };
                    endedAt?: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                        /** @description Format of the time: iso (default), unix_s, unix_ms, or a pattern like yyyy-MM-dd HH:mm:ss. */
                        time?: string | ("iso" | "unix_s" | "unix_ms");
                        /** @description Zone of a time without offset; default device: the zone of the device, else of its site. */
                        zone?: string | ("utc" | "device");
                        /** @description Path of a separate field with the offset. */
                        offset_path?: string;
                    };
                    duration?: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                        /**
                         * @description Default ms.
                         * @enum {string}
                         */
                        unit?: "ms" | "s";
                    };
                    startReason?: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path?: string;
                        /** @description Always this value. */
                        const?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        default?: string | number | boolean;
                        /** @description Maps values as sent to canonical values. */
                        map?: {
                            [key: string]: string | number | boolean;
                        };
                        /** @description Value when the path is present. */
                        when_present?: string | number | boolean;
                        /** @description Value when the path is absent. */
                        when_absent?: string | number | boolean;
                    };
                    /** @description An object to keep with the play. */
                    context?: {
                        /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                        path: string;
                    };
                };
            };
        };
        Overview: {
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            now: string;
            /**
             * Format: int64
             * @description Events, rows of bulk files among them, in the last minute of `history`.
             */
            accepted_per_minute: number | null;
            /**
             * Format: int64
             * @description Events; a request that was refused before they were seen stands for one.
             */
            refused_per_minute: number | null;
            /**
             * Format: int64
             * @description In the minutes of `history`.
             */
            accepted_last_hour: number | null;
            /** Format: int64 */
            refused_last_hour: number | null;
            /** @description In that hour, the most frequent first; `bulk_refused`: bad rows of bulk files. */
            refused_by: {
                code: string;
                /** Format: int64 */
                events: number;
            }[];
            /** @description Age of the newest event that is in every read model. */
            freshness_seconds: number | null;
            /**
             * Format: int64
             * @description Events that the read model furthest behind has yet to take in.
             */
            lag_events: number | null;
            counts: {
                /** Format: int64 */
                networks: number | null;
                /**
                 * Format: int64
                 * @description Without retired ones: online, offline and never heard.
                 */
                devices: number | null;
                /** Format: int64 */
                online: number | null;
                /**
                 * Format: int64
                 * @description Heard once, but not in the last 300 s.
                 */
                offline: number | null;
                /** Format: int64 */
                never_heard: number | null;
                /**
                 * Format: int64
                 * @description Of devices and feeders that are not retired.
                 */
                open_outages: number | null;
                /**
                 * Format: int64
                 * @description Events that a live projection set aside.
                 */
                parked: number | null;
                /**
                 * Format: int64
                 * @description Events that wait for a mapping that fits, or for their screen.
                 */
                quarantined: number | null;
                /**
                 * Format: int64
                 * @description Bulk jobs that are queued or at work.
                 */
                running_jobs: number | null;
                /**
                 * Format: int64
                 * @description Bulk jobs that failed in the last 24 hours.
                 */
                failed_jobs: number | null;
                /** Format: int64 */
                running_replays: number | null;
            };
            /** @description The last 60 minutes that are over and told, the oldest first; null where nobody told anything. */
            history: components["schemas"]["OverviewMinute"][];
            /** @description What should be looked at, the worst first. */
            problems: components["schemas"]["Problem"][];
        };
        OverviewMinute: {
            /**
             * Format: date-time
             * @description Its beginning.
             * @example 2026-08-20T14:03:07.250Z
             */
            minute: string;
            /** Format: int64 */
            accepted: number | null;
            /** Format: int64 */
            refused: number | null;
            /** Format: int64 */
            lag_events: number | null;
            freshness_seconds: number | null;
        };
        ParkedDecided: {
            projection: string;
            /**
             * Format: int64
             * @description How many are meant, those that stand behind others too.
             */
            events: number;
        };
        ParkedEvents: {
            parked: {
                projection: string;
                /** Format: int64 */
                generation: number;
                /** @description In the log. */
                position: string;
                stream: string;
                type: string;
                /** @enum {string} */
                state: "parked" | "discarded";
                /** @description Why it cannot be projected, when it was tried last. */
                error: string;
                /**
                 * Format: int64
                 * @description How often it was tried; 0 for one that only stands behind another.
                 */
                attempts: number;
                /** @description Position of the parked event of its stream it stands behind. */
                behind: string | null;
                /** @description Whether an operator requested a retry or discard that is not carried out yet. */
                decision_pending: boolean;
                /** @description Why it was discarded. */
                reason: string | null;
                /**
                 * Format: date-time
                 * @example 2026-08-20T14:03:07.250Z
                 */
                parked_at: string;
                /**
                 * Format: date-time
                 * @example 2026-08-20T14:03:07.250Z
                 */
                tried_at: string;
                /** @description Data and metadata as JSON, cut where it is very long. */
                raw: string;
            }[];
            /** @description What to send as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
        };
        PausedProjection: {
            name: string;
            paused: boolean;
        };
        Place: {
            /** Format: int64 */
            id: number;
            name: string;
        };
        Problem: {
            /** @enum {string} */
            severity: "warning" | "failed";
            what: string;
            /**
             * Format: date-time
             * @description Null where nobody knows.
             * @example 2026-08-20T14:03:07.250Z
             */
            since: string | null;
            advice: string;
        };
        Projection: {
            name: string;
            /** Format: int64 */
            generation: number;
            /**
             * @description `failing`: it tries again by itself; `paused`: by an operator; `stopped`: no process works on it.
             * @enum {string}
             */
            state: "starting" | "running" | "failing" | "waiting" | "paused" | "stopped";
            /** @description In the log, up to which everything is projected. */
            position: string;
            /**
             * Format: int64
             * @description Events it has yet to handle: counted up to a thousand, more are estimated; null: the log does not tell.
             */
            lag_events: number | null;
            /** @description Age of what was projected last; null before the first event. */
            lag_seconds: number | null;
            /**
             * Format: int64
             * @description Events that could not be projected and were set aside.
             */
            parked: number;
            /** @description Why it does not get on; null while it does. */
            error: string | null;
            /**
             * Format: int64
             * @description Generation that readers could go back to; null when none is kept.
             */
            kept: number | null;
            /** @description Whether an older version of the projection built it: then it wants a replay. */
            outdated: boolean;
        };
        Quarantine: {
            reasons: {
                /** Format: int64 */
                network_id: number;
                vendor: string;
                schema_version: string;
                code: string;
                /** Format: int64 */
                events: number;
                latest_reason: string;
                /**
                 * Format: date-time
                 * @example 2026-08-20T14:03:07.250Z
                 */
                oldest_received_at: string;
                /**
                 * Format: date-time
                 * @example 2026-08-20T14:03:07.250Z
                 */
                newest_received_at: string;
            }[];
            events: {
                /** @description In the log. */
                position: string;
                /** Format: int64 */
                network_id: number;
                vendor: string;
                schema_version: string;
                event_id: string | null;
                /**
                 * Format: date-time
                 * @example 2026-08-20T14:03:07.250Z
                 */
                received_at: string;
                code: string;
                reason: string;
                job_id: string | null;
                /** Format: int64 */
                job_row: number | null;
                /** @description JSON as sent, cut where it is very long. */
                raw: string;
                /** Format: int64 */
                raw_bytes: number;
            }[];
            /** @description What to send as `before` for the next page; null on the last. */
            next_before: string | null;
        };
        QuarantineTried: {
            /** Format: int64 */
            network: number;
            vendor: string;
            schema_version: string;
            /**
             * Format: int64
             * @description How many events wait as it is asked.
             */
            waiting: number;
        };
        Replay: {
            /** Format: int64 */
            id: number;
            name: string;
            /** @enum {string} */
            kind: "replay" | "rollback";
            /** @enum {string} */
            state: "planned" | "building" | "catching_up" | "verifying" | "switching" | "done" | "failed" | "cancelled";
            /** Format: int64 */
            from_generation: number;
            /** Format: int64 */
            to_generation: number;
            /** @description In the log, up to which it is built. */
            position: string;
            /** @description In the log, where the live generation stood when that was asked last. */
            target: string;
            /**
             * Format: int64
             * @description Folded so far.
             */
            events: number;
            /**
             * Format: int64
             * @description To fold; null where nobody counted.
             */
            total_events: number | null;
            /** Format: int64 */
            events_per_second: number;
            /** @description Since it was begun. */
            seconds: number;
            /**
             * Format: int64
             * @description About; null where that is not known.
             */
            seconds_left: number | null;
            /** @description Whether it is to be compared. */
            verify: boolean;
            /** @description Whether it was compared, and nothing differed, neither from what is live nor from the log. */
            verified: boolean;
            /** @description What is done besides folding, once that is all; null: nothing. */
            step: components["schemas"]["ReplayStep"] | null;
            /** @description What became of the events of each type, held against the log; null: that was not looked at. */
            accounts: components["schemas"]["ReplayAccount"][] | null;
            /** @description At most a hundred. */
            differences: components["schemas"]["ReplayDifference"][];
            /** @description Total time for which the live generation was paused. */
            paused_seconds: number;
            /** @description Why it failed, or after what it tries again. */
            error: string | null;
            is_cancelling: boolean;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            requested_at: string;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            ended_at: string | null;
        };
        ReplayAccount: {
            /** @description Of events. */
            type: string;
            /**
             * Format: int64
             * @description As the log has them, read once more and counted.
             */
            in_log: number;
            /**
             * Format: int64
             * @description As the generation counted them while it was built, like the next two.
             */
            with_rows: number;
            /**
             * Format: int64
             * @description Passed over by a decision of operators, or taken later by one.
             */
            skipped: number;
            /**
             * Format: int64
             * @description Taken, and no row of their own was made.
             */
            without_rows: number;
            /** @description Whether it adds up, and no row is missing of a type that makes one of each event. */
            is_consistent: boolean;
        };
        ReplayDifference: {
            table: string;
            /**
             * Format: int64
             * @description 0 where the table has none.
             */
            network: number;
            /** @description UTC; null where the table has no time. */
            day: string | null;
            /** Format: int64 */
            rows_before: number;
            /** Format: int64 */
            rows_after: number;
        };
        ReplayNotNeeded: {
            name: string;
            /** Format: int64 */
            generation: number;
            /**
             * Format: int64
             * @description Of the projection that built the live generation.
             */
            version: number;
            /** @constant */
            needed: false;
        };
        ReplayStep: {
            /**
             * @description `windows`: sets computed from all facts; `rows`: compared with what is live; `log`: events counted.
             * @enum {string}
             */
            name: "windows" | "rows" | "log";
            /** Format: int64 */
            done: number;
            /** Format: int64 */
            of: number;
        };
        ScreenCompleteness: {
            /** @description As the vendor names it. */
            screen_id: string;
            /**
             * Format: int64
             * @description The device that showed it last in the stretch.
             */
            device_id: number;
            device_name: string;
            /** Format: int64 */
            site_id: number;
            site_name: string;
            /**
             * @description A letter for each hour.
             *     `p` playing: A play began in the hour.
             *     `s` silent: Its device sent heartbeats in the hour, but no play began.
             *     `o` offline: Its device sent no heartbeat in the hour, and no play began.
             *     `b` backfilled: Its device was recorded as offline; heartbeats or plays of that time arrived later, by more than five minutes.
             *     `-` unknown: No information: before the registration of the screen, without a device, or in the future.
             */
            cells: string;
        };
        Session: {
            /**
             * Format: date-time
             * @description When it ends; null for who presents the token itself.
             * @example 2026-08-20T14:03:07.250Z
             */
            until: string | null;
        };
        ShownEvent: {
            event_id: string;
            found: {
                /** Format: int64 */
                network_id: number;
                vendor: string;
                /** @enum {string} */
                status: "accepted" | "projected" | "quarantined";
                /** Format: int64 */
                received: number;
                /** Format: int64 */
                stored: number;
                /** Format: int64 */
                duplicate: number;
                /** Format: int64 */
                conflict: number;
                /** Format: int64 */
                quarantined: number;
                /** Format: int64 */
                coffee_rows: number;
                pop_types: string[];
                /**
                 * Format: date-time
                 * @example 2026-08-20T14:03:07.250Z
                 */
                projected_at: string | null;
                receipts: {
                    /** @description In the log. */
                    position: string;
                    /**
                     * Format: date-time
                     * @example 2026-08-20T14:03:07.250Z
                     */
                    received_at: string;
                    /**
                     * Format: date-time
                     * @example 2026-08-20T14:03:07.250Z
                     */
                    recorded_at: string;
                    /** @enum {string} */
                    outcome: "stored" | "duplicate" | "conflict" | "quarantined";
                    late: boolean;
                    clock_ahead: boolean;
                    /**
                     * Format: date-time
                     * @example 2026-08-20T14:03:07.250Z
                     */
                    released_at?: string;
                    /**
                     * Format: int64
                     * @description Version of the mapping.
                     */
                    released_by_mapping?: number;
                    waited_because?: string;
                    schema_version?: string;
                    code?: string;
                    reason?: string;
                    /** @description As the log holds it. */
                    raw: {
                        stream: string;
                        type: string;
                        revision: string;
                        data: unknown;
                        metadata: {
                            [key: string]: unknown;
                        };
                    } | null;
                }[];
                /** @description The hours in which it was received. */
                balance: components["schemas"]["BalanceOfHour"][];
            }[];
        };
        ShownJob: {
            job_id: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "failed" | "partially_completed";
            /** Format: int64 */
            network_id: number;
            vendor: string;
            file_name: string;
            /** @enum {string} */
            format: "ndjson" | "json" | "csv";
            schema_version: string;
            /** Format: int64 */
            size_bytes: number;
            /** Format: int64 */
            bytes_read: number;
            /** Format: int64 */
            processed_rows: number;
            /** Format: int64 */
            error_rows: number;
            /**
             * Format: int64
             * @description Null until the end of the file was seen.
             */
            total_rows: number | null;
            /**
             * Format: int64
             * @description 0 before the first.
             */
            attempt: number;
            progress_percent: number;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            queued_at: string | null;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            began_at: string | null;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            ended_at: string | null;
            /** @description Why it failed. */
            reason: string | null;
            file_id: string;
            /** @description Which API key asked for it. */
            key_id: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            /** Format: int64 */
            mapping_version: number | null;
            sha256: string | null;
            /** @description The first bad rows. */
            errors: {
                /** Format: int64 */
                row: number;
                error: string;
            }[];
        };
        SigningKey: {
            kid: string;
            algorithm: string;
            /**
             * Format: date-time
             * @example 2026-08-20T14:03:07.250Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Null: the key that signs. Else when its last token has expired.
             * @example 2026-08-20T14:03:07.250Z
             */
            public_until: string | null;
        };
        /** @description Every JSON error has this shape. */
        Error: {
            /** @constant */
            status: false;
            /** @description For people; it may improve. Programs go by the code. */
            message: string;
            error: {
                /** @enum {string} */
                code: "INVALID_PARAM" | "INVALID_EVENT" | "INVALID_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN_NETWORKS" | "FORBIDDEN_ORIGIN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "UNAVAILABLE" | "INTERNAL";
                details: components["schemas"]["ErrorDetail"][];
            };
            request_id: string;
        };
        ErrorDetail: {
            /** @description Where: a parameter, or a field such as `events[3].playedAt`. */
            path: string;
            /** @description What is wrong with it. */
            message: string;
        };
    };
    responses: {
        /** @description The body took too long to arrive. */
        BodyTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "INVALID_REQUEST";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `CONFLICT`: The request contradicts what is already stored. */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "CONFLICT";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `FORBIDDEN_ORIGIN`: A request with a session cookie must come from a page of this server. */
        ForbiddenOrigin: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "FORBIDDEN_ORIGIN";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `INTERNAL`: Internal error. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "INTERNAL";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `INVALID_PARAM`: A query or path parameter is not valid. */
        InvalidParam: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "INVALID_PARAM";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /**
         * @description `INVALID_PARAM`: A query or path parameter is not valid.
         *
         *     `INVALID_REQUEST`: The request is not valid.
         */
        InvalidParamOrInvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "INVALID_PARAM" | "INVALID_REQUEST";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `NOT_FOUND`: The resource does not exist. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "NOT_FOUND";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The request body is too large. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "PAYLOAD_TOO_LARGE";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `RATE_LIMITED`: Too many requests. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `UNAUTHORIZED`: A valid credential is required. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `UNAVAILABLE`: The service is temporarily unavailable. Retry later. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "UNAVAILABLE";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: The content type or encoding of the body is not supported. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "UNSUPPORTED_MEDIA_TYPE";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description Any other refusal. */
        OtherError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Names this request in our logs; yours if you sent one.
         * @example 5f0c7a0e-6f0f-4c1e-9a3e-0c6a7a1f2b3d
         */
        "X-Request-Id": string;
        /**
         * @description The session, or its end.
         * @example popsvc_session=…; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200
         */
        "Set-Cookie": string;
        /**
         * @description Seconds after which to try again.
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description What credential is due, and what is wrong with the one that was sent (RFC 6750).
         * @example Bearer realm="popsvc"
         */
        "WWW-Authenticate": string;
        /**
         * @description Burst and the seconds in which it fills, by unit (draft-ietf-httpapi-ratelimit-headers).
         * @example "requests";q=4000;qu="requests";w=2
         */
        "RateLimit-Policy": string;
        /**
         * @description What is left of it, by unit, and the seconds until it is full. Only API keys have rates.
         * @example "requests";r=3999;t=1
         */
        RateLimit: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    showSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    openSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description `POPSVC_OPERATOR_TOKEN`. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Opened. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidParam"];
            403: components["responses"]["ForbiddenOrigin"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getOverview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    followLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    exportRegistry: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default [] */
                        networks: {
                            /** Format: int64 */
                            id: number;
                            name: string;
                            /** @example Europe/London */
                            timezone: string;
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        vendors: {
                            code: string;
                            name: string;
                            /** Format: int64 */
                            network: number;
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        sites: {
                            /** Format: int64 */
                            id: number;
                            name: string;
                            /** Format: int64 */
                            network: number;
                            /** @example Europe/London */
                            timezone: string;
                            business_hours?: {
                                [key: string]: string[];
                            };
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        locations: {
                            /** Format: int64 */
                            id: number;
                            name: string;
                            /** Format: int64 */
                            site: number;
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        devices: {
                            /** Format: int64 */
                            id: number;
                            name: string;
                            /** Format: int64 */
                            location: number;
                            /** @example Europe/London */
                            timezone?: string;
                            /** @default [] */
                            screen_ids: string[];
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        feeders: {
                            /** Format: int64 */
                            id: number;
                            name: string;
                            /** Format: int64 */
                            device: number;
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        cameras: {
                            /** Format: int64 */
                            id: number;
                            name: string;
                            /** Format: int64 */
                            device: number;
                            /** Format: int64 */
                            feeder?: number;
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        apps: {
                            code: string;
                            name: string;
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        campaigns: {
                            /** Format: int64 */
                            id: number;
                            /** Format: int64 */
                            network: number;
                            external_id: string;
                            name: string;
                            subscription_name?: string;
                            /** @default [] */
                            strategies: {
                                /** Format: int64 */
                                id: number;
                                name: string;
                            }[];
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        creatives: {
                            external_id: string;
                            title: string;
                            display_title?: string;
                            /** Format: int64 */
                            campaign: number;
                            /** Format: int64 */
                            strategy?: number;
                            duration_ms?: number;
                            /**
                             * Format: date-time
                             * @description Instant from which the change is effective; default: when it is applied.
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from?: string;
                            /** @description Retires the entity and keeps its history. */
                            retired?: boolean;
                        }[];
                        /** @default [] */
                        metric_definitions: {
                            /** Format: int64 */
                            network: number;
                            version: number;
                            /**
                             * Format: date-time
                             * @example 2026-08-20T14:03:07.250Z
                             */
                            effective_from: string;
                            thresholds: {
                                /**
                                 * @description Shortest presence during a play that creates a row.
                                 * @default 100
                                 */
                                min_presence_ms: number;
                                /**
                                 * @description Watch periods with gaps up to this are merged.
                                 * @default 300
                                 */
                                merge_gap_ms: number;
                                /**
                                 * @description Shortest presence of an impression.
                                 * @default 1000
                                 */
                                impression_ms: number;
                                /**
                                 * @description Shortest watch time of a glance.
                                 * @default 500
                                 */
                                glance_ms: number;
                                /**
                                 * @description Shortest watch time of a view.
                                 * @default 2000
                                 */
                                view_ms: number;
                                /**
                                 * @description Longest absence during the play of a view-through.
                                 * @default 500
                                 */
                                view_through_slack_ms: number;
                                /**
                                 * @description Share of the play that a view-through must watch; up to three decimals.
                                 * @default 0.75
                                 */
                                view_through_share: number;
                            };
                        }[];
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    applyRegistry: {
        parameters: {
            query?: {
                /** @description `true`: only tell what would change. */
                dry_run?: boolean;
                /** @description `true`: allow thresholds that take effect before now, which recomputes. */
                restate?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @default [] */
                    networks?: {
                        /** Format: int64 */
                        id: number;
                        name: string;
                        /** @example Europe/London */
                        timezone: string;
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    vendors?: {
                        code: string;
                        name: string;
                        /** Format: int64 */
                        network: number;
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    sites?: {
                        /** Format: int64 */
                        id: number;
                        name: string;
                        /** Format: int64 */
                        network: number;
                        /** @example Europe/London */
                        timezone: string;
                        business_hours?: {
                            [key: string]: string[];
                        };
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    locations?: {
                        /** Format: int64 */
                        id: number;
                        name: string;
                        /** Format: int64 */
                        site: number;
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    devices?: {
                        /** Format: int64 */
                        id: number;
                        name: string;
                        /** Format: int64 */
                        location: number;
                        /** @example Europe/London */
                        timezone?: string;
                        /** @default [] */
                        screen_ids?: string[];
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    feeders?: {
                        /** Format: int64 */
                        id: number;
                        name: string;
                        /** Format: int64 */
                        device: number;
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    cameras?: {
                        /** Format: int64 */
                        id: number;
                        name: string;
                        /** Format: int64 */
                        device: number;
                        /** Format: int64 */
                        feeder?: number;
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    apps?: {
                        code: string;
                        name: string;
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    campaigns?: {
                        /** Format: int64 */
                        id: number;
                        /** Format: int64 */
                        network: number;
                        external_id: string;
                        name: string;
                        subscription_name?: string;
                        /** @default [] */
                        strategies?: {
                            /** Format: int64 */
                            id: number;
                            name: string;
                        }[];
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    creatives?: {
                        external_id: string;
                        title: string;
                        display_title?: string;
                        /** Format: int64 */
                        campaign: number;
                        /** Format: int64 */
                        strategy?: number;
                        duration_ms?: number;
                        /**
                         * Format: date-time
                         * @description Instant from which the change is effective; default: when it is applied.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from?: string;
                        /** @description Retires the entity and keeps its history. */
                        retired?: boolean;
                    }[];
                    /** @default [] */
                    metric_definitions?: {
                        /** Format: int64 */
                        network: number;
                        version: number;
                        /**
                         * Format: date-time
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        effective_from: string;
                        thresholds: {
                            /**
                             * @description Shortest presence during a play that creates a row.
                             * @default 100
                             */
                            min_presence_ms?: number;
                            /**
                             * @description Watch periods with gaps up to this are merged.
                             * @default 300
                             */
                            merge_gap_ms?: number;
                            /**
                             * @description Shortest presence of an impression.
                             * @default 1000
                             */
                            impression_ms?: number;
                            /**
                             * @description Shortest watch time of a glance.
                             * @default 500
                             */
                            glance_ms?: number;
                            /**
                             * @description Shortest watch time of a view.
                             * @default 2000
                             */
                            view_ms?: number;
                            /**
                             * @description Longest absence during the play of a view-through.
                             * @default 500
                             */
                            view_through_slack_ms?: number;
                            /**
                             * @description Share of the play that a view-through must watch; up to three decimals.
                             * @default 0.75
                             */
                            view_through_share?: number;
                        };
                    }[];
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppliedRegistry"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listNetworks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description By name, without retired ones. */
                        networks: components["schemas"]["ListedNetwork"][];
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: int64 */
                    network: number;
                    vendor: string;
                    /**
                     * Format: date-time
                     * @example 2026-08-20T14:03:07.250Z
                     */
                    expires?: string;
                    name?: string;
                    requests_per_second?: number;
                    events_per_second?: number;
                };
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeApiKey"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    setApiKeyRates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the key, as it was told when it was made. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    requests_per_second?: number | null;
                    events_per_second?: number | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the key, as it was told when it was made. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listClients: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Client"][];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    createClient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description In the order of the claim; the first is the default of a request. */
                    networks: number[];
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeClient"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    rotateClient: {
        parameters: {
            query?: {
                /** @description How long the former secret stays good. */
                overlap_seconds?: number;
            };
            header?: never;
            path: {
                /** @description The client_id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeClient"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    revokeClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The client_id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Client"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKey"][];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    rotateSigningKey: {
        parameters: {
            query?: {
                /** @description Whether every token that was given out is refused from now on. */
                end_tokens?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKey"][];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listAnalysts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Analyst"][];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    createAnalyst: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @description Networks whose rows the analyst sees; `all`: every one, also those that are yet to come. */
                    networks: number[] | "all";
                    /**
                     * @description Whether the service runs the statements itself; else somebody else has to, with the rights for it.
                     * @default true
                     */
                    run_sql?: boolean;
                };
            };
        };
        responses: {
            /** @description Made. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeAnalyst"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    revokeAnalyst: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The login. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Analyst"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    showEvent: {
        parameters: {
            query: {
                id: string;
                network?: number;
                vendor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownEvent"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listConflicts: {
        parameters: {
            query?: {
                network?: number;
                vendor?: string;
                since?: string;
                limit?: number;
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Conflicts"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listQuarantine: {
        parameters: {
            query?: {
                network?: number;
                vendor?: string;
                schema_version?: string;
                limit?: number;
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quarantine"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    retryQuarantine: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: int64 */
                    network: number;
                    vendor: string;
                    schema_version: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuarantineTried"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getBalance: {
        parameters: {
            query?: {
                network?: number;
                vendor?: string;
                since?: string;
                until?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Balance"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listJobs: {
        parameters: {
            query?: {
                network?: number;
                vendor?: string;
                status?: "queued" | "processing" | "completed" | "failed" | "partially_completed";
                limit?: number;
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        jobs: components["schemas"]["ListedJob"][];
                        /** @description What to send as `before` for the next page; null on the last. */
                        next_before: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    showJob: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownJob"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listJobErrors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listMappings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MappingInForce"][];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    applyMapping: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    vendor: string;
                    schema_version: string;
                    /** @description Names of the columns of a CSV without header. */
                    columns?: string[];
                    /** @description Further fields that must be present for an event to be a play. */
                    required?: string[];
                    fields: {
                        eventId?: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                        };
                        screenId: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                        };
                        siteId?: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                        };
                        campaignId: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                        };
                        creativeId: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                        };
                        playedAt?: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                            /** @description Format of the time: iso (default), unix_s, unix_ms, or a pattern like yyyy-MM-dd HH:mm:ss. */
                            time?: string | ("iso" | "unix_s" | "unix_ms");
                            /** @description Zone of a time without offset; default device: the zone of the device, else of its site. */
                            zone?: string | ("utc" | "device");
                            /** @description Path of a separate field with the offset. */
                            offset_path?: string;
                        };
                        endedAt?: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                            /** @description Format of the time: iso (default), unix_s, unix_ms, or a pattern like yyyy-MM-dd HH:mm:ss. */
                            time?: string | ("iso" | "unix_s" | "unix_ms");
                            /** @description Zone of a time without offset; default device: the zone of the device, else of its site. */
                            zone?: string | ("utc" | "device");
                            /** @description Path of a separate field with the offset. */
                            offset_path?: string;
                        };
                        duration?: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                            /**
                             * @description Default ms.
                             * @enum {string}
                             */
                            unit?: "ms" | "s";
                        };
                        startReason?: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path?: string;
                            /** @description Always this value. */
                            const?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            default?: string | number | boolean;
                            /** @description Maps values as sent to canonical values. */
                            map?: {
                                [key: string]: string | number | boolean;
                            };
                            /** @description Value when the path is present. */
                            when_present?: string | number | boolean;
                            /** @description Value when the path is absent. */
                            when_absent?: string | number | boolean;
                        };
                        /** @description An object to keep with the play. */
                        context?: {
                            /** @description Path of the value, like `a.b[0]` or `["odd key"]`. */
                            path: string;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppliedMapping"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listDevices: {
        parameters: {
            query?: {
                network?: number;
                status?: "online" | "offline" | "never";
                /** @description Those that are in these sites now; repeat it for several. */
                site_id?: number[];
                /** @description A part of the name in any case, or the whole of the id or of a screen it shows or showed. */
                search?: string;
                /** @description Where the page before ended. */
                after?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: int64
                         * @description How many fit, on whatever page.
                         */
                        total: number;
                        /**
                         * Format: int64
                         * @description How many are on this page.
                         */
                        count: number;
                        /**
                         * Format: int64
                         * @description What to send as `after` for the next page; null on the last.
                         */
                        next_after: number | null;
                        /** @description By id. */
                        devices: components["schemas"]["ListedDevice"][];
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listOutages: {
        parameters: {
            query?: {
                network?: number;
                /** @description Of this device. */
                device?: number;
                /** @description Of this feeder; with `device`, of both. */
                feeder?: number;
                /** @description Of the devices that are in this site now, and of their feeders. */
                site?: number;
                /** @description That lasted until after it; default a week before `to`. */
                from?: string;
                /** @description That began before it. */
                to?: string;
                /** @description true: those that last. */
                open?: boolean;
                limit?: number;
                /** @description Where the page before ended. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @description The start of the window; outages that lasted until after it are told.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        from: string;
                        /**
                         * Format: date-time
                         * @description The end of the window.
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        to: string | null;
                        outages: components["schemas"]["ListedOutage"][];
                        /** @description What to send as `cursor` for the next page; null on the last. */
                        next_cursor: string | null;
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getCompleteness: {
        parameters: {
            query: {
                network: number;
                /** @description From the hour of it; default 48 hours before `to`. */
                from?: string;
                /** @description To the end of the hour of it; default the hour that runs. */
                to?: string;
                /** @description Screens that stood in these sites last; repeat it for several. */
                site_id?: number[];
                /** @description Where the page before ended. */
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Completeness"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listProjections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Projection"][];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    pauseProjection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PausedProjection"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    resumeProjection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PausedProjection"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listParked: {
        parameters: {
            query?: {
                /** @description Projection. */
                projection?: "registry" | "coffee" | "watcher-summary" | "uptime" | "status" | "jobs";
                state?: "parked" | "discarded";
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParkedEvents"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    retryParked: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Projection.
                     * @enum {string}
                     */
                    projection: "registry" | "coffee" | "watcher-summary" | "uptime" | "status" | "jobs";
                    /** @description Those that are meant. */
                    positions?: string[];
                    /**
                     * @description Instead of positions: all that are parked.
                     * @constant
                     */
                    all?: true;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParkedDecided"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    discardParked: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Projection.
                     * @enum {string}
                     */
                    projection: "registry" | "coffee" | "watcher-summary" | "uptime" | "status" | "jobs";
                    /** @description Those that are meant. */
                    positions?: string[];
                    /**
                     * @description Instead of positions: all that are parked.
                     * @constant
                     */
                    all?: true;
                    /** @description Kept with them. */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParkedDecided"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    startReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the projection. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Compare what was built with what is live, at one position, before readers see it.
                     * @default false
                     */
                    verify?: boolean;
                    /**
                     * Format: int64
                     * @description Only where the live generation was built by this version of the projection or an older one.
                     */
                    from_version?: number;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayNotNeeded"];
                };
            };
            /** @description Accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            400: components["responses"]["InvalidParamOrInvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["BodyTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listReplays: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        replays: components["schemas"]["Replay"][];
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    showReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the replay. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    cancelReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the replay. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    rollBackProjection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Of the projection. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenOrigin"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    examineService: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @example 2026-08-20T14:03:07.250Z
                         */
                        at: string;
                        /**
                         * @description The worst of all.
                         * @enum {string}
                         */
                        outcome: "ok" | "warning" | "failed";
                        findings: components["schemas"]["Finding"][];
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        /** @constant */
                        message: "alive";
                    };
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        /** @constant */
                        message: "ready";
                        /** @description Dependencies that are ready, by name. */
                        checks: {
                            [key: string]: "ok";
                        };
                    };
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                        info: {
                            [key: string]: unknown;
                        };
                        paths: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
}
