-- SPDX-License-Identifier: MIT
-- sysbench's own OLTP scripts with a Zipfian choice of rows, which sysbench has since 1.1 and Debian's
-- 1.0 lacks: by rejection and inversion, as there (W. Hoermann, G. Derflinger, "Rejection-inversion
-- to generate variates from monotone discrete distributions", 1996). FENCEPOST_OLTP names the script.

local exponent = 0.8 -- sysbench's --rand-zipfian-exp where nobody says another
local uniform = sysbench.rand.uniform_double

-- (exp(x) - 1) / x and log(1 + x) / x, also near zero.
local function expm1_over(x)
   return math.abs(x) > 1e-8 and (math.exp(x) - 1) / x or 1 + x / 2 * (1 + x / 3)
end
local function log1p_over(x)
   return math.abs(x) > 1e-8 and math.log(1 + x) / x or 1 - x * (1 / 2 - x / 3)
end

local function h(x)
   return math.exp(-exponent * math.log(x))
end
local function integral(x)
   local log = math.log(x)
   return expm1_over((1 - exponent) * log) * log
end
local function inverse_integral(x)
   local t = math.max(-1, x * (1 - exponent))
   return math.exp(log1p_over(t) * x)
end

local first = integral(1.5) - 1
local shift = 2 - inverse_integral(integral(2.5) - h(2))
local last = {}

local function zipfian(count)
   last[count] = last[count] or integral(count + 0.5)
   while true do
      local u = last[count] + uniform() * (first - last[count])
      local x = inverse_integral(u)
      local k = math.max(1, math.min(count, math.floor(x + 0.5)))
      if k - x <= shift or u >= integral(k + 0.5) - h(k) then
         return k
      end
   end
end

function sysbench.rand.default(from, to)
   return from + zipfian(to - from + 1) - 1
end

require(os.getenv("FENCEPOST_OLTP") or "oltp_read_write")
