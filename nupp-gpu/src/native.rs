//! What a Vulkan driver takes as it is, and what it claims of its arithmetic.
//!
//! A native module reaches the driver unread: nobody refuses what the driver lacks, and a driver may
//! answer that with the end of the process. So everything that a module declares is settled here,
//! before it is printed: SPIR-V 1.3 needs Vulkan 1.1 of the instance and of the device, and a float
//! mode needs the device's claim, which Vulkan 1.2 makes without an extension to be enabled. Only
//! claims are read through the handles below wgpu; nothing is made or changed through them.

use nupp_core::emit::spirv;

/// Float modes of a device for 32-bit floats: claimed by it, or declared in a module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FloatControls {
    /// Results are rounded to nearest even.
    pub rounding_rte_32: bool,
    /// Signed zeros, infinities and NaN are not assumed away.
    pub signed_zero_inf_nan_preserve_32: bool,
    /// Subnormals are kept.
    pub denorm_preserve_32: bool,
}

impl FloatControls {
    /// Every mode.
    pub const ALL: FloatControls = FloatControls {
        rounding_rte_32: true,
        signed_zero_inf_nan_preserve_32: true,
        denorm_preserve_32: true,
    };

    /// The modes that are in both.
    #[must_use]
    pub fn and(self, other: FloatControls) -> FloatControls {
        FloatControls {
            rounding_rte_32: self.rounding_rte_32 && other.rounding_rte_32,
            signed_zero_inf_nan_preserve_32: self.signed_zero_inf_nan_preserve_32
                && other.signed_zero_inf_nan_preserve_32,
            denorm_preserve_32: self.denorm_preserve_32 && other.denorm_preserve_32,
        }
    }
}

/// A device that takes native modules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Native {
    claims: FloatControls,
}

/// The modes that a native module declares. Only a device's claims make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Declared(FloatControls);

impl Native {
    /// What the adapter claims, or why it takes no native modules.
    pub(crate) fn of(adapter: &wgpu::Adapter) -> Result<Self, &'static str> {
        if !adapter
            .features()
            .contains(wgpu::Features::PASSTHROUGH_SHADERS)
        {
            return Err("its graphics interface takes no shaders as they are");
        }
        let claims = vulkan::claims(adapter)?;
        Ok(Self { claims })
    }

    /// The modes that the device claims.
    pub(crate) fn claims(self) -> FloatControls {
        self.claims
    }

    /// The modes of `wanted` that may be declared.
    pub(crate) fn declare(self, wanted: FloatControls) -> Declared {
        Declared(self.claims.and(wanted))
    }
}

impl Declared {
    /// The modes.
    pub(crate) fn modes(self) -> FloatControls {
        self.0
    }

    /// How a module with these modes is printed.
    pub(crate) fn options(self, bound_loops: bool) -> spirv::Options {
        let FloatControls {
            rounding_rte_32,
            signed_zero_inf_nan_preserve_32,
            denorm_preserve_32,
        } = self.0;
        spirv::Options {
            no_contraction: true,
            rounding_rte_32,
            signed_zero_inf_nan_preserve_32,
            denorm_preserve_32,
            bound_loops,
            // Nobody writes it as text.
            cut_chains: false,
        }
    }
}

/// The platforms on which wgpu is built with Vulkan.
#[cfg(any(
    windows,
    target_os = "linux",
    target_os = "android",
    target_os = "freebsd"
))]
mod vulkan {
    use super::FloatControls;
    use ash::vk;

    pub(super) fn claims(adapter: &wgpu::Adapter) -> Result<FloatControls, &'static str> {
        // SAFETY: nothing is destroyed through the guard, which is dropped here; only the versions and
        // the handles of the instance and the physical device are read.
        let hal = unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() };
        let hal = hal.ok_or("it is not reached through Vulkan")?;
        let instance = hal.shared_instance();
        let version = instance
            .instance_api_version()
            .min(hal.physical_device_capabilities().properties().api_version);
        if version < vk::API_VERSION_1_1 {
            return Err("its driver is older than Vulkan 1.1");
        }
        if version < vk::API_VERSION_1_2 {
            return Ok(FloatControls::default());
        }
        let mut floats = vk::PhysicalDeviceFloatControlsProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut floats);
        // SAFETY: the physical device is one of this instance, and the adapter keeps both alive. The
        // command is in Vulkan 1.1 and the chained structure in 1.2, which instance and device have.
        // Both structures are initialised, belong to this function and outlive the call.
        unsafe {
            instance
                .raw_instance()
                .get_physical_device_properties2(hal.raw_physical_device(), &mut properties);
        }
        // Whether widths may have modes of their own does not matter: modules have one width.
        Ok(FloatControls {
            rounding_rte_32: floats.shader_rounding_mode_rte_float32 != 0,
            signed_zero_inf_nan_preserve_32: floats.shader_signed_zero_inf_nan_preserve_float32
                != 0,
            denorm_preserve_32: floats.shader_denorm_preserve_float32 != 0,
        })
    }
}

#[cfg(not(any(
    windows,
    target_os = "linux",
    target_os = "android",
    target_os = "freebsd"
)))]
mod vulkan {
    pub(super) fn claims(_adapter: &wgpu::Adapter) -> Result<super::FloatControls, &'static str> {
        Err("it is not reached through Vulkan")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_that_is_not_claimed_is_never_declared() {
        let device = |claims| Native { claims };
        let rounding = FloatControls {
            rounding_rte_32: true,
            ..FloatControls::default()
        };
        let all = device(rounding).declare(FloatControls::ALL);
        assert_eq!(all.modes(), rounding);
        let options = all.options(false);
        assert!(options.no_contraction && options.rounding_rte_32);
        assert!(!options.signed_zero_inf_nan_preserve_32 && !options.denorm_preserve_32);
        let none = device(FloatControls::default()).declare(FloatControls::ALL);
        let nothing = spirv::Options {
            cut_chains: false,
            ..spirv::Options::CANONICAL
        };
        assert_eq!(none.options(false), nothing);
        let two = FloatControls {
            rounding_rte_32: false,
            ..FloatControls::ALL
        };
        let every = device(FloatControls::ALL).declare(two).options(true);
        assert!(!every.rounding_rte_32 && every.bound_loops);
        assert!(every.signed_zero_inf_nan_preserve_32 && every.denorm_preserve_32);
    }
}
